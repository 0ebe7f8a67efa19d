import net from 'node:net'
import { keyType } from './known-hosts.ts'

/** Numbers of the SSH agent's protocol. */
const askForKeys = 11
const hereAreKeys = 12

const answerLimitMs = 2000
const maxAnswerBytes = 256 * 1024

/**
 * The types of all keys that an SSH agent has, as it lists them. ssh2 passes over those that it does not know; whoever
 * has nothing else is not to be told that there is no key. An agent that does not answer has none.
 */
export function agentKeyTypes(socketPath: string): Promise<string[]> {
  return new Promise((resolve) => {
    const socket = net.connect(socketPath)
    const limit = setTimeout(() => end([]), answerLimitMs)
    const end = (types: string[]) => {
      clearTimeout(limit)
      socket.destroy()
      resolve(types)
    }
    let answer = Buffer.alloc(0)
    socket.on('error', () => end([]))
    socket.on('close', () => end([]))
    socket.on('connect', () => socket.write(Buffer.from([0, 0, 0, 1, askForKeys])))
    socket.on('data', (chunk: Buffer) => {
      answer = Buffer.concat([answer, chunk])
      if (answer.length > maxAnswerBytes) return end([])
      if (answer.length >= 4 && answer.length >= 4 + answer.readUInt32BE(0)) end(typesIn(answer.subarray(4)))
    })
  })
}

function typesIn(message: Buffer): string[] {
  if (message[0] !== hereAreKeys) return []
  const types: string[] = []
  try {
    let at = 5
    const next = () => {
      const length = message.readUInt32BE(at)
      at += 4 + length
      return message.subarray(at - length, at)
    }
    for (let left = message.readUInt32BE(1); left > 0; left--) {
      types.push(keyType(next()))
      // Its comment.
      next()
    }
  } catch {
    // Cut off: what came before counts.
  }
  return types.filter((type) => type !== '')
}
