// @ts-check
import http from 'node:http'
import net from 'node:net'

/** The barest way from Docker's log stream to a client: a TCP connection that gets the bytes as they come. */
const [dockerSocket = '', port = ''] = process.argv.slice(2)

net
  .createServer({ noDelay: true }, (client) => {
    client.on('error', () => {})
    client.once('data', (name) => {
      const path = `/containers/${name}/logs?stdout=1&stderr=1&timestamps=1&follow=1`
      const request = http.get({ socketPath: dockerSocket, path }, (response) => {
        response.on('error', () => {})
        response.pipe(client)
      })
      request.on('error', () => client.destroy())
      client.on('close', () => request.destroy())
    })
  })
  .listen(Number(port), '127.0.0.1')
