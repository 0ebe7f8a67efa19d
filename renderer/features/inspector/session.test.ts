import { expect, test } from 'vitest'
import { until } from '../../../e2e/rigs/until.ts'
import { PortStream } from '../../../shared/stream.ts'
import { InspectorSession } from './session.ts'
import type { InspectorTransport, PageTab } from './transport.ts'

interface Message {
  id: number
  method: string
  params: Record<string, unknown>
  sessionId?: string
}

/** A machine with tabs, whose end of each connection is in the test's hands. */
function machine() {
  const links: { targetId: string; role: string; sent: Message[]; stream: PortStream; say(message: unknown): void }[] =
    []
  let tabs: PageTab[] = [tab('A', true), tab('B', false)]
  let moved = () => {}
  let refuse = false
  const transport: InspectorTransport = {
    tabs: async () => tabs,
    onMoved: (listener) => {
      moved = listener
      return () => {}
    },
    open: async (targetId, role) => {
      if (refuse) throw new Error('not now')
      const { port1, port2 } = new MessageChannel()
      const here = streamOn(port2)
      const sent: Message[] = []
      here.onText = (text) => void sent.push(JSON.parse(text) as Message)
      links.push({ targetId, role, sent, stream: here, say: (message) => void here.sendText(JSON.stringify(message)) })
      return streamOn(port1)
    },
  }
  const session = new InspectorSession('m', transport)
  return {
    session,
    links,
    refuse: (now: boolean) => {
      refuse = now
    },
    show: (next: PageTab[]) => {
      tabs = next
      moved()
    },
  }
}

const tab = (id: string, active: boolean): PageTab => ({ id, url: `https://${id}`, title: id, active })
const streamOn = (port: MessagePort) =>
  new PortStream(port, (handler) => port.addEventListener('message', (event) => handler(event.data)))

test('answers find who asked, events find who listens, over a connection that breaks', async () => {
  const { session, links } = machine()
  const heard: unknown[] = []
  const scopes: string[] = []
  session.on('Runtime.consoleAPICalled', (params) => heard.push(params['n']))
  session.onScope(({ targetId }) => scopes.push(targetId))
  session.want({ live: true, mine: false })
  const first = await until('a connection', () => links[0])
  expect(first).toMatchObject({ targetId: 'A', role: 'observer' })
  const asked = session.send('DOM.getDocument')
  const question = await until('the question', () => first.sent.find(({ method }) => method === 'DOM.getDocument'))
  first.say({ method: 'Runtime.consoleAPICalled', params: { n: 1 } })
  first.say({ id: question.id, result: { root: 7 } })
  expect(await asked).toEqual({ root: 7 })
  const refused = session.send('Page.navigate')
  const wrong = await until('the command', () => first.sent.find(({ method }) => method === 'Page.navigate'))
  first.say({ id: wrong.id, error: { message: 'not for observers' } })
  await expect(refused).rejects.toThrow('not for observers')

  const open = session.send('DOM.getDocument')
  first.stream.close(1001, 'the browser ended')
  await expect(open).rejects.toThrow('the browser ended')
  expect(session.snapshot).toMatchObject({ phase: 'lost' })
  const second = await until('the next connection', () => links[1])
  await until('it to be open', () => session.snapshot.phase === 'open')
  second.say({ method: 'Runtime.consoleAPICalled', params: { n: 2 } })
  await until('the event', () => heard.length === 2)
  expect(scopes).toEqual(['A', 'A'])
  session.dispose()
})

test('a dialog of the page is known until it is answered, or the page is another one', async () => {
  const { session, links, show } = machine()
  session.want({ live: true, mine: false })
  const first = await until('a connection', () => links[0])
  await until('it to be open', () => session.snapshot.phase === 'open')
  const opening = { type: 'prompt', message: 'Who are you?', defaultPrompt: 'nobody', url: 'https://shop.example/' }
  first.say({ method: 'Page.javascriptDialogOpening', params: opening })
  const asked = { type: 'prompt', message: 'Who are you?', suggestion: 'nobody' }
  await until('the dialog', () => session.snapshot.dialog !== null)
  expect(session.snapshot.dialog).toEqual(asked)
  first.say({ method: 'Page.javascriptDialogClosed', params: { result: true } })
  await until('it to be answered', () => session.snapshot.dialog === null)
  first.say({ method: 'Page.javascriptDialogOpening', params: opening })
  await until('the next dialog', () => session.snapshot.dialog !== null)
  show([tab('A', false), tab('B', true)])
  await until('the other tab', () => session.snapshot.phase === 'open' && session.snapshot.tab?.id === 'B')
  expect(session.snapshot.dialog).toBeNull()
  session.dispose()
})

test('a dialog from before the connection is known from the machine, and gone when the page answers again', async () => {
  const { session, links, show } = machine()
  const dialog = { type: 'confirm', message: 'Sure?', defaultPrompt: '', url: 'https://A' }
  show([{ ...tab('A', true), dialog }])
  session.want({ live: true, mine: false })
  const link = await until('a connection', () => links[0])
  await until('it to be open', () => session.snapshot.phase === 'open')
  expect(session.snapshot.dialog).toMatchObject({ type: 'confirm', message: 'Sure?' })
  const asked = await until('the question', () => link.sent.find(({ method }) => method === 'Runtime.getIsolateId'))
  link.say({ id: asked.id, result: {} })
  await until('it to be gone', () => session.snapshot.dialog === null)
  session.dispose()
})

test('the tab in front is followed, unless another one was chosen; a chosen one that closes is let go', async () => {
  const { session, links, show } = machine()
  const at = () => (session.snapshot.phase === 'open' ? session.snapshot.tab?.id : undefined)
  session.want({ live: true, mine: false })
  await until('the first tab', () => at() === 'A')
  show([tab('A', false), tab('B', true)])
  await until('the tab in front', () => at() === 'B')
  session.inspect('A')
  await until('the chosen tab', () => at() === 'A')
  show([tab('A', false), tab('B', false), tab('C', true)])
  await until('the list', () => session.snapshot.tabs.length === 3)
  expect(session.snapshot).toMatchObject({ chosen: true, tab: { id: 'A' } })
  show([tab('B', false), tab('C', true)])
  await until('the front again', () => at() === 'C')
  expect(session.snapshot.chosen).toBe(false)
  expect(links.map(({ targetId }) => targetId)).toEqual(['A', 'B', 'A', 'C'])
  session.dispose()
})

test('writing takes a connection of its own, only with the lease, and ends with it', async () => {
  const { session, links } = machine()
  session.want({ live: true, mine: false })
  await until('the page', () => session.snapshot.phase === 'open')
  await expect(session.control('Runtime.evaluate')).rejects.toThrow('Take over first')
  expect(links).toHaveLength(1)
  session.want({ live: true, mine: true })
  const asked = session.control('Runtime.evaluate', { expression: '1' })
  const control = await until('the controlling connection', () => links[1])
  expect(control.role).toBe('controller')
  await until('the command', () => control.sent.length === 1)
  session.want({ live: true, mine: false })
  await expect(asked).rejects.toThrow('given back')
  await expect(session.control('Runtime.evaluate')).rejects.toThrow('Take over first')
  expect(session.snapshot.phase).toBe('open')
  session.dispose()
})

test('what is written to a frame that runs apart goes to it, however deep it is, and not to one that is gone', async () => {
  const { session, links } = machine()
  session.want({ live: true, mine: true })
  await until('the page', () => session.snapshot.phase === 'open')
  const asked = session.control('DOM.enable', {}, { frame: 'inner' })
  const control = await until('the controlling connection', () => links[1])
  const attaching = (at: string | undefined) =>
    until('the question for frames', () =>
      control.sent.find(({ method, sessionId }) => method === 'Target.setAutoAttach' && sessionId === at),
    )
  const tell = (targetId: string, sessionId: string, outer?: string) =>
    control.say({
      method: 'Target.attachedToTarget',
      params: { sessionId, targetInfo: { targetId, type: 'iframe', url: '' } },
      sessionId: outer,
    })
  const page = await attaching(undefined)
  tell('outer', 'S1')
  control.say({ id: page.id, result: {} })
  const outer = await attaching('S1')
  tell('inner', 'S2', 'S1')
  control.say({ id: outer.id, result: {} })
  const enable = await until('the command', () => control.sent.find(({ method }) => method === 'DOM.enable'))
  expect(enable.sessionId).toBe('S2')
  control.say({ id: enable.id, result: { done: true } })
  expect(await asked).toEqual({ done: true })
  control.say({ id: (await attaching('S2')).id, result: {} })
  control.say({ method: 'Target.detachedFromTarget', params: { sessionId: 'S2' }, sessionId: 'S1' })
  // What is answered after it was told later.
  const later = session.control('Page.enable')
  control.say({
    id: (await until('it', () => control.sent.find(({ method }) => method === 'Page.enable'))).id,
    result: {},
  })
  await later
  await expect(session.control('DOM.enable', {}, { frame: 'inner' })).rejects.toThrow('The frame is gone')
  session.dispose()
})

test('a machine that refuses is asked again, and what is no longer wanted is not', async () => {
  const { session, links, refuse } = machine()
  refuse(true)
  session.want({ live: true, mine: false })
  await until('the refusal', () => session.snapshot.phase === 'lost')
  expect(session.snapshot.problem?.detail).toContain('not now')
  refuse(false)
  await until('the page', () => session.snapshot.phase === 'open')
  session.want({ live: false, mine: false })
  expect(session.snapshot.phase).toBe('idle')
  await expect(session.send('DOM.getDocument')).rejects.toThrow('no connection')
  expect(links).toHaveLength(1)
})
