import net from 'node:net'

/** What stands at the far end of a tunnel: sends, takes or echoes, as the first line says (`D8`, `U8`, `E`: megabytes). */
const chunk = Buffer.alloc(64 * 1024)
const chunksPerMegabyte = 16

net
  .createServer((socket) => {
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.once('data', (first) => {
      const end = first.indexOf('\n')
      const [order, megabytes] = [first.toString('latin1', 0, 1), Number(first.toString('latin1', 1, end))]
      if (order === 'D') return send(socket, megabytes * chunksPerMegabyte)
      if (order === 'U') return take(socket, megabytes * chunksPerMegabyte * chunk.length, first.length - end - 1)
      socket.write('.')
      socket.on('data', (data) => socket.write(data))
    })
  })
  .listen(Number(process.argv[2]), '127.0.0.1')

function send(socket: net.Socket, chunks: number): void {
  let left = chunks
  const fill = () => {
    while (left > 0 && socket.writable) {
      left--
      if (!socket.write(chunk)) return
    }
  }
  socket.on('drain', fill)
  fill()
}

function take(socket: net.Socket, bytes: number, already: number): void {
  let got = already
  socket.on('data', (data) => {
    got += data.length
    if (got >= bytes) socket.write('.')
  })
}
