// @ts-check
import { createServer } from 'node:http'

/** The least a Node server can be: what ours is measured against. Listens where its first argument says. */
const [where = '', body = '{"status":"ok"}'] = process.argv.slice(2)
const answer = JSON.parse(body)
const server = createServer((_request, response) => {
  const text = JSON.stringify(answer)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  response.end(text)
})
if (where.startsWith('/')) server.listen(where)
else server.listen(Number(where), '127.0.0.1')
