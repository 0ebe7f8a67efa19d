import { expect, test } from 'vitest'
import type { AgentClient } from '../../shared/client/client.ts'
import { bodiesOf, pasteIntoPage, writeIntoPage } from './page-text.ts'

type Message = { type: string; held?: boolean; id?: number }
type Sent = { text: string; id: number }

/** An agent that answers each text, or says that there is no control. */
function agent({ held = true, ends = false } = {}) {
  const sent: Sent[] = []
  let closed = false
  const socket = {
    onMessage: (_message: Message) => {},
    onClose: (_code: number, _reason: string) => {},
    send(message: Sent) {
      sent.push(message)
      if (ends) socket.onClose(1006, '')
      else queueMicrotask(() => socket.onMessage({ type: 'acted', id: message.id }))
    },
    close: () => {
      closed = true
    },
  }
  const client = {
    open: async () => {
      setTimeout(() => socket.onMessage({ type: 'control', held }))
      return socket
    },
  } as unknown as Pick<AgentClient, 'open'>
  return { client, sent, closed: () => closed }
}

test('a long text arrives whole, with no letter cut in two, and the connection is left', async () => {
  const { client, sent, closed } = agent()
  const text = `${'x'.repeat(3999)}😀${'y'.repeat(9000)}`
  await writeIntoPage(client, text, 'lease')
  expect(sent.map((one) => one.text).join('')).toBe(text)
  expect(sent[0]?.text).toHaveLength(3999)
  expect(sent.every((one) => one.text.length <= 4096)).toBe(true)
  expect(closed()).toBe(true)
})

test('without control, or without a connection, it is not said that the text is there', async () => {
  const without = agent({ held: false })
  await expect(writeIntoPage(without.client, 'x', 'lease')).rejects.toMatchObject({ code: 'lease-gone' })
  expect(without.sent).toEqual([])
  await expect(writeIntoPage(agent({ ends: true }).client, 'x', 'lease')).rejects.toMatchObject({ code: 'unreachable' })
})

test('a very long text is sent no faster than the page takes it', async () => {
  const { client, sent } = agent()
  const text = 'z'.repeat(4_000_000)
  let most = 0
  const open = async (...given: Parameters<typeof client.open>) => {
    const socket = (await client.open(...given)) as unknown as { send: (message: Sent) => void; onMessage: unknown }
    let answered = -1
    return new Proxy(socket, {
      set(target, name, value) {
        const told = (message: Message) => {
          answered = message.id ?? answered
          value(message)
        }
        return Reflect.set(target, name, name === 'onMessage' ? told : value)
      },
      get(target, name) {
        if (name === 'send') most = Math.max(most, sent.length - answered)
        return Reflect.get(target, name)
      },
    })
  }
  await writeIntoPage({ open } as unknown as typeof client, text, 'lease')
  expect(sent.map((one) => one.text).join('')).toBe(text)
  expect(most).toBeLessThan(100)
})

test('a text goes in as few bodies as hold it, whatever its letters become in JSON', () => {
  for (const letter of ['x', '漢', '\u0001', '😀']) {
    const text = letter.repeat(600_000)
    const bodies = bodiesOf(text)
    expect(bodies.join('') === text).toBe(true)
    for (const body of bodies) {
      expect(Buffer.byteLength(JSON.stringify({ text: body, append: true, leaseId: 'x'.repeat(100) }))).toBeLessThan(
        1024 * 1024,
      )
      expect(body.isWellFormed()).toBe(true)
    }
  }
  expect(bodiesOf('x'.repeat(500_000))).toHaveLength(1)
})

test('a long text is pasted in parts that a call takes, and not at all where nothing takes a paste', async () => {
  const given: string[] = []
  const execute = async (expression: string) => {
    expect(expression.length).toBeLessThanOrEqual(500_000)
    expect(Buffer.byteLength(JSON.stringify({ expression }))).toBeLessThan(1024 * 1024)
    given.push(JSON.parse(expression.slice(expression.lastIndexOf('})(') + 3, -1)))
    return true
  }
  for (const letter of ['x', '漢', '\u0001', '"']) {
    given.length = 0
    expect(await pasteIntoPage(execute, letter.repeat(600_000))).toBe(true)
    expect(given.join('') === letter.repeat(600_000)).toBe(true)
  }
  expect(await pasteIntoPage(async () => false, 'x'.repeat(600_000))).toBe(false)
  expect(await pasteIntoPage(execute, 'short')).toBe(false)
  const answers = [true, false]
  const leaves = async () => answers.shift()
  await expect(pasteIntoPage(leaves, 'x'.repeat(600_000))).rejects.toMatchObject({ code: 'conflict' })
})
