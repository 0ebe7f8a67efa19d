import { createHash } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

export interface TestRegistry {
  /** Host and port, as it stands before the first slash of an image's name. */
  readonly address: string
  /** How often a manifest was asked for with the right login. */
  readonly pulls: number
  stop(): Promise<void>
}

/** A registry with one image of one layer, for whoever has the login. Docker trusts loopback without TLS. */
export async function startTestRegistry(layer: Buffer, login: string): Promise<TestRegistry> {
  const blobs = new Map<string, Buffer>()
  const add = (bytes: Buffer) => {
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
    blobs.set(digest, bytes)
    return { digest, size: bytes.length }
  }
  const layerBlob = add(layer)
  const config = add(
    Buffer.from(
      JSON.stringify({
        architecture: process.arch === 'x64' ? 'amd64' : process.arch,
        os: 'linux',
        config: { Cmd: ['/start'] },
        rootfs: { type: 'layers', diff_ids: [layerBlob.digest] },
      }),
    ),
  )
  const manifestType = 'application/vnd.docker.distribution.manifest.v2+json'
  const manifest = add(
    Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: manifestType,
        config: { mediaType: 'application/vnd.docker.container.image.v1+json', ...config },
        layers: [{ mediaType: 'application/vnd.docker.image.rootfs.diff.tar', ...layerBlob }],
      }),
    ),
  )
  let pulls = 0
  const server = http.createServer((request, response) => {
    if (request.headers.authorization !== `Basic ${Buffer.from(login).toString('base64')}`) {
      // As a careless one does, it repeats what it was given.
      const given = Buffer.from(request.headers.authorization?.split(' ')[1] ?? '', 'base64').toString()
      const body = JSON.stringify({ errors: [{ code: 'UNAUTHORIZED', message: `no such login: ${given}` }] })
      const type = { 'content-type': 'application/json' }
      response.writeHead(401, { 'www-authenticate': 'Basic realm="test"', ...type }).end(body)
      return
    }
    const name = request.url?.split('/').at(-1) ?? ''
    const isManifest = request.url?.includes('/manifests/') === true
    if (isManifest) pulls++
    const digest = isManifest && !name.startsWith('sha256:') ? manifest.digest : name
    const bytes = request.url === '/v2/' ? Buffer.from('{}') : blobs.get(digest)
    if (bytes === undefined || (isManifest && name === 'missing')) {
      response.writeHead(404).end()
      return
    }
    const type = isManifest ? manifestType : 'application/octet-stream'
    response.writeHead(200, { 'content-type': type, 'content-length': bytes.length, 'docker-content-digest': digest })
    response.end(request.method === 'HEAD' ? undefined : bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    get pulls() {
      return pulls
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
