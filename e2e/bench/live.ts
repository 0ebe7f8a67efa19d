import { setTimeout as sleep } from 'node:timers/promises'
import { type Bench, median } from './bench.ts'
import { openLiveViews, openPeerView } from './live-views.ts'
import type { RfbCounter } from './rfb-counter.ts'
import { atLeastTimes, atMostTimes } from './target.ts'

const document = (body: string) => `data:text/html,${encodeURIComponent(`<body style="margin:0;cursor:none">${body}`)}`
/** A square that changes when the page is pressed anywhere. */
const clickPage = document(
  `<div id=b style="position:absolute;left:100px;top:100px;width:100px;height:100px;background:red"></div>
   <script>let n = 0; addEventListener('mousedown', () => { b.style.background = n++ % 2 ? 'red' : 'blue' })</script>`,
)
const animatedPage = document(
  `<div id=b style="width:200px;height:200px"></div>
   <script>let n = 0; (function f() { b.style.background = n++ % 2 ? 'red' : 'blue'; requestAnimationFrame(f) })()</script>`,
)
const scrollingPage = document(
  `<pre>${'The quick brown fox jumps over the lazy dog. '.repeat(4)}</pre>
   <script>const line = document.querySelector('pre').outerHTML; document.body.innerHTML += line.repeat(400)
   let y = 0; (function f() { scrollTo(0, y = (y + 7) % 9000); requestAnimationFrame(f) })()</script>`,
)
const pressed = { x: 600, y: 400 }
const watched = { x: 150, y: 150 }
const clicks = 25

async function clickTime(view: RfbCounter): Promise<number> {
  const times: number[] = []
  for (let click = 0; click < clicks; click++) {
    times.push(await view.click(pressed, watched))
    // Not in step with anything that happens at regular times.
    await sleep(20 + Math.random() * 40)
  }
  return median(times)
}

async function rate(view: RfbCounter): Promise<number> {
  const before = view.updates
  const began = performance.now()
  await sleep(3000)
  if (!view.isOpen) throw new Error('the view ended while its updates were counted')
  return (view.updates - before) / ((performance.now() - began) / 1000)
}

/** A press in the page until changed pixels are at the client; without the tunnel, on both sides. */
const liveClick: Bench = {
  name: 'live.click',
  unit: 'ms',
  against: 'x11vnc as it comes + websockify, the same page',
  target: atMostTimes(0.15),
  runs: 7,
  warmups: 1,
  async open() {
    const views = await openLiveViews(clickPage)
    const peer = await openPeerView(clickPage)
    views.ours.move(pressed)
    peer.view.move(pressed)
    await sleep(2000)
    return {
      ours: () => clickTime(views.ours),
      yardstick: () => clickTime(peer.view),
      async close() {
        await views.close()
        await peer.close()
      },
    }
  },
}

const liveLimit: Bench = {
  name: 'live.limit',
  unit: 'ms',
  against: 'the same Xvnc without the agent, a press until changed pixels',
  target: atMostTimes(2.5),
  runs: 7,
  warmups: 1,
  async open() {
    const views = await openLiveViews(clickPage)
    views.ours.move(pressed)
    await sleep(1000)
    return { ours: () => clickTime(views.ours), yardstick: () => clickTime(views.direct), close: views.close }
  },
}

function rateBench(name: string, what: string, page: string): Bench {
  return {
    name,
    unit: 'updates/s',
    against: `the same Xvnc without the agent, ${what}`,
    target: atLeastTimes(0.9),
    runs: 5,
    warmups: 1,
    async open() {
      const views = await openLiveViews(page)
      await sleep(1000)
      return { ours: () => rate(views.ours), yardstick: () => rate(views.direct), close: views.close }
    },
  }
}

export const liveBenches: readonly Bench[] = [
  liveClick,
  liveLimit,
  rateBench('live.updates', 'a page that changes 60 times a second', animatedPage),
  rateBench('live.scroll', 'scrolling text', scrollingPage),
]
