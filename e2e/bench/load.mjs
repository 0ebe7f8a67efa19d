// @ts-check
import { connect } from 'node:net'

/**
 * Asks a server for one thing over and over and prints how many answers came per second, and how long the slowest of
 * a hundred took. A process of its own, with requests as ready-made bytes, so that it is the server that is measured.
 */
const { port, request, connections, ms } = JSON.parse(process.argv[2] ?? '{}')
const bytes = Buffer.from(request)
const headEnd = Buffer.from('\r\n\r\n')
/** Milliseconds of every answer. @type {number[]} */
const took = []
let began = 0

for (let index = 0; index < connections; index += 1) {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  let askedAt = 0
  const ask = () => {
    askedAt = performance.now()
    socket.write(bytes)
  }
  socket.once('connect', () => {
    began ||= performance.now()
    ask()
  })
  socket.on('error', (error) => fail(error.message))
  socket.on('close', () => fail('the server closed a connection'))
  let pending = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
    const end = pending.indexOf(headEnd)
    if (end === -1) return
    const head = pending.toString('latin1', 0, end)
    if (!head.startsWith('HTTP/1.1 200')) fail(head)
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1])
    if (Number.isNaN(length)) fail('an answer without a length')
    if (pending.length < end + headEnd.length + length) return
    pending = Buffer.alloc(0)
    took.push(performance.now() - askedAt)
    ask()
  })
}

setTimeout(() => {
  const perSecond = (took.length / (performance.now() - began)) * 1000
  took.sort((a, b) => a - b)
  const p99 = took[Math.min(took.length - 1, Math.floor(took.length * 0.99))]
  process.stdout.write(JSON.stringify({ perSecond, p99 }), () => process.exit(0))
}, ms)

/** @param {string} why */
function fail(why) {
  process.stderr.write(why)
  process.exit(1)
}
