import { expect, test } from 'vitest'
import type { AgentClient } from '../../shared/client/client.ts'
import { writeIntoPage } from './page-text.ts'

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
