import dgram from 'node:dgram'

/** What is answered to a question for a name's addresses of version 4; none for a name that nobody has. */
export type Answers = (name: string) => readonly string[] | undefined

export interface NameServer {
  /** Every name that was asked for, as often as it was. */
  asked: string[]
  stop(): Promise<void>
}

const questionStart = 12
const [typeA, classInternet] = [1, 1]
const nameIsAtStart = [0xc0, questionStart]
const noSuchName = 3

/** A real name server whose answers nobody may keep, and which may say something else each time. */
export async function startNameServer(address: string, answers: Answers): Promise<NameServer> {
  const asked: string[] = []
  const socket = dgram.createSocket('udp4')
  socket.on('message', (question, from) => {
    const labels: string[] = []
    let at = questionStart
    for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
      labels.push(question.toString('latin1', at + 1, at + 1 + length))
      at += length + 1
    }
    const end = at + 5
    const name = labels.join('.').toLowerCase()
    const found = question.readUInt16BE(at + 1) === typeA ? answers(name) : []
    if (question.readUInt16BE(at + 1) === typeA) asked.push(name)
    const head = Buffer.from(question.subarray(0, questionStart))
    head.set([0x84 | ((question[2] ?? 0) & 1), 0x80 | (found === undefined ? noSuchName : 0)], 2)
    head.writeUInt16BE(found?.length ?? 0, 6)
    head.fill(0, 8)
    const records = (found ?? []).map((ip) =>
      Buffer.from([...nameIsAtStart, 0, typeA, 0, classInternet, 0, 0, 0, 0, 0, 4, ...ip.split('.').map(Number)]),
    )
    socket.send(Buffer.concat([head, question.subarray(questionStart, end), ...records]), from.port, from.address)
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.bind(53, address, resolve)
  })
  return { asked, stop: () => new Promise((resolve) => socket.close(resolve)) }
}
