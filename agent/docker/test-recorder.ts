import { rmSync } from 'node:fs'
import http from 'node:http'

/** What was asked of Docker: how, where, and with which body. */
export interface Asked {
  method: string
  path: string
  body: string
}

export interface Recorder {
  socketPath: string
  asked: Asked[]
  stop(): Promise<void>
}

/** Stands between a client and Docker's socket, passes everything on, and writes down what was asked. */
export async function startRecorder(dockerSocket: string): Promise<Recorder> {
  const socketPath = `${dockerSocket}.recorded`
  const asked: Asked[] = []
  const server = http.createServer((request, response) => {
    const { method = '', url = '', headers } = request
    const entry: Asked = { method, path: url.split('?')[0] ?? '', body: '' }
    asked.push(entry)
    const upstream = http.request({ socketPath: dockerSocket, method, path: url, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      // An engine that ends in the middle of its answer has ended for the client too.
      answer.on('error', () => response.destroy())
      answer.pipe(response)
    })
    upstream.on('error', () => response.destroy())
    response.on('close', () => upstream.destroy())
    request.on('data', (chunk: Buffer) => {
      if (entry.body.length < 100_000) entry.body += chunk.toString('latin1')
    })
    request.pipe(upstream)
  })
  server.on('upgrade', (request, socket) => {
    asked.push({ method: 'UPGRADE', path: request.url ?? '', body: '' })
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(socketPath, resolve))
  return {
    socketPath,
    asked,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(socketPath, { force: true })
    },
  }
}
