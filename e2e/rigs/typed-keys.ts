import path from 'node:path'
import { XConnection } from '../../agent/display/x11.ts'
import type { TestAgent } from './agent.ts'

const keyPress = 2
const [grabKeyboard, keyboardMapping] = [31, 101]
const unicodeKeysyms = 0x01000000

/** What is typed on the desktop of an agent, as any program on it could see. */
export async function typedKeys(agent: TestAgent): Promise<{ letters: () => string[]; close: () => void }> {
  const { display } = await agent.client.call('desktop.status')
  const env = { DISPLAY: display ?? '', XAUTHORITY: path.join(agent.dataDir, 'desktop', 'xauthority') }
  const connection = await XConnection.open(env)
  const seen: string[] = []
  connection.onEvent = ({ type, bytes }) => {
    if (type === keyPress) void letterOf(connection, bytes[1] ?? 0).then((letters) => seen.push(...letters))
  }
  const grab = Buffer.alloc(12)
  grab.writeUInt32LE(connection.root, 0)
  // Neither pointer nor keyboard waits for anybody.
  grab[8] = grab[9] = 1
  await connection.ask(grabKeyboard, 0, grab)
  return { letters: () => seen, close: () => connection.close() }
}

/** The letters on a key. */
async function letterOf(connection: XConnection, keycode: number): Promise<string[]> {
  const reply = await connection.ask(keyboardMapping, 0, Buffer.from([keycode, 1, 0, 0]))
  const keysyms = Array.from({ length: reply[1] ?? 0 }, (_, place) => reply.readUInt32LE(32 + 4 * place))
  return keysyms
    .map((keysym) => (keysym >= unicodeKeysyms ? keysym - unicodeKeysyms : keysym))
    .filter((point) => point > 0x1f && point < 0x10ffff && !(point >= 0xfe00 && point <= 0xffff))
    .map((point) => String.fromCodePoint(point))
}
