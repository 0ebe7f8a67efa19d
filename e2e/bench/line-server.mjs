// @ts-check
// The far end of a bare connection: after an `e` it echoes, after a `d` it sends so many bytes.
import net from 'node:net'

const [host, port] = process.argv.slice(2)
const server = net.createServer((socket) => {
  socket.setNoDelay(true)
  socket.on('error', () => {})
  socket.once('data', (first) => {
    const [kind, amount] = first.toString('latin1').split(' ')
    if (kind === 'd') return socket.write(Buffer.alloc(Number(amount), 'x'))
    socket.write(first)
    return socket.pipe(socket)
  })
})
server.listen(Number(port), host, () => process.stdout.write('listening\n'))
