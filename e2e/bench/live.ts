import { setTimeout as sleep } from 'node:timers/promises'
import { type Bench, median } from './bench.ts'
import { openLiveViews, openPeer } from './live-views.ts'
import type { RfbCounter } from './rfb-counter.ts'
import { atLeastTimes, atMostTimes, shown } from './target.ts'
import { openForwards } from './tunnel-ends.ts'

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

async function clickTime(view: Pick<RfbCounter, 'click'>, times: number[] = []): Promise<number> {
  const first = times.length
  for (let click = 0; click < clicks; click++) {
    times.push(await view.click(pressed, watched))
    // Not in step with anything that happens at regular times.
    await sleep(20 + Math.random() * 40)
  }
  return median(times.slice(first))
}

async function rate(view: RfbCounter): Promise<number> {
  const before = view.updates
  const began = performance.now()
  await sleep(3000)
  if (!view.isOpen) throw new Error('the view ended while its updates were counted')
  return (view.updates - before) / ((performance.now() - began) / 1000)
}

/** The 50th and the 95th of a hundred, in words. */
function spread(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1)
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`
}

/** A press in the page until changed pixels are at the client, the whole way: VNC server, agent, tunnel, client. */
const liveClick: Bench = {
  name: 'live.click',
  unit: 'ms',
  against: 'x11vnc as it comes + websockify + ssh -L, the same page',
  target: atMostTimes(0.15),
  runs: 7,
  warmups: 1,
  async open() {
    const peer = await openPeer(clickPage)
    const closes = [peer.close]
    const close = async () => {
      for (const one of closes.splice(0).reverse()) await one()
    }
    try {
      const views = await openLiveViews(clickPage)
      closes.push(views.close)
      const forwards = await openForwards(views.port, peer.port)
      closes.push(forwards.close)
      const [ours, others] = [await views.openOurs(forwards.ours), await peer.open(forwards.sshPort)]
      ours.move(pressed)
      others.move(pressed)
      await sleep(2000)
      const [own, theirs]: [number[], number[]] = [[], []]
      return {
        ours: () => clickTime(ours, own),
        yardstick: () => clickTime(others, theirs),
        async close() {
          others.close()
          await close()
          process.stderr.write(`live.click: ${spread(own)} (target 12 and 20); the peer ${spread(theirs)}\n`)
        },
      }
    } catch (error) {
      await close()
      throw error
    }
  },
}

const liveWebsockify: Bench = {
  name: 'live.websockify',
  unit: 'ms',
  against: 'the same Xvnc behind websockify, a press until changed pixels',
  target: atMostTimes(1),
  runs: 7,
  warmups: 1,
  async open() {
    const views = await openLiveViews(clickPage)
    const beside = await views.openWebsockify().catch(async (error: unknown) => {
      await views.close()
      throw error
    })
    views.ours.move(pressed)
    await sleep(1000)
    return { ours: () => clickTime(views.ours), yardstick: () => clickTime(beside), close: views.close }
  },
}

/** The limit: until the X server has drawn it, with nobody who would have to be shown it. */
const liveLimit: Bench = {
  name: 'live.limit',
  unit: 'ms',
  against: 'damage seen on the X server itself, a press there until the page is drawn',
  target: atMostTimes(2.5),
  runs: 7,
  warmups: 1,
  async open() {
    const views = await openLiveViews(clickPage)
    const damage = await views.openDamage().catch(async (error: unknown) => {
      await views.close()
      throw error
    })
    views.ours.move(pressed)
    await sleep(1000)
    return { ours: () => clickTime(views.ours), yardstick: () => clickTime(damage), close: views.close }
  },
}

const liveDirect: Bench = {
  name: 'live.direct',
  unit: 'ms',
  against: 'the same Xvnc without the agent, a press until changed pixels',
  target: shown,
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
  liveDirect,
  liveWebsockify,
  rateBench('live.updates', 'a page that changes 60 times a second', animatedPage),
  rateBench('live.scroll', 'scrolling text', scrollingPage),
]
