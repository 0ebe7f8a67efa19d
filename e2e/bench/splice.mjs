// @ts-check
import net from 'node:net'

/** The least that a Node program between two others can be: every byte is passed on as it comes, and none is looked at. */
const [port = '', to = ''] = process.argv.slice(2)

net
  .createServer({ noDelay: true }, (client) => {
    const server = net.connect({ host: '127.0.0.1', port: Number(to), noDelay: true })
    for (const [from, into] of /** @type {const} */ ([
      [client, server],
      [server, client],
    ])) {
      from.on('data', (bytes) => into.write(bytes))
      from.on('error', () => {})
      from.on('close', () => into.destroy())
    }
  })
  .listen(Number(port), '127.0.0.1')
