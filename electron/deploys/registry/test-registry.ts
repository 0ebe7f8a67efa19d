import { createHash } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** How the registry behaves towards whoever asks. */
export interface Habits {
  auth: 'none' | 'basic' | 'bearer'
  /** Tags on a page, whatever was asked for. */
  page: number
  /** Answers nothing at all. */
  silent: boolean
  status: number | undefined
  retryAfter: string | undefined
  garbage: 'html' | 'shape' | 'endless' | undefined
  /** Sends blobs by way of another server. */
  redirectBlobs: boolean
  /** HEAD without the digest. */
  noDigest: boolean
  nextPageElsewhere: boolean
  circularPages: boolean
  /** Empty pages, each with the address of another one. */
  endlessPages: boolean
  realm: string | undefined
}

export interface BadRegistry {
  readonly address: string
  readonly habits: Habits
  readonly asked: string[]
  /** Every Authorization header that the other server saw. */
  readonly leaked: string[]
  readonly digests: Map<string, string>
  add(tag: string, labels: Record<string, string>, as?: 'manifest' | 'index'): void
  stop(): Promise<void>
}

const [user, password, token] = ['ci', 'canary-registry-7c1e', 'canary-token-55d0']
export const registryLogin = { username: user, password }
const repository = 'team/ghosthands'

/** A registry that keeps to the distribution spec, and has every bad habit on request. */
export async function startBadRegistry(): Promise<BadRegistry> {
  const habits: Habits = {
    ...{ auth: 'none', page: 1000, silent: false, status: undefined, retryAfter: undefined, garbage: undefined },
    ...{ redirectBlobs: false, noDigest: false, nextPageElsewhere: false, circularPages: false },
    ...{ endlessPages: false, realm: undefined },
  }
  const [blobs, manifests] = [new Map<string, Buffer>(), new Map<string, { type: string; bytes: Buffer }>()]
  const tags = new Map<string, string>()
  const [asked, leaked]: [string[], string[]] = [[], []]
  const digestOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  const addManifest = (value: object, type: string) => {
    const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: type, ...value }))
    manifests.set(digestOf(bytes), { type, bytes })
    return digestOf(bytes)
  }
  const add: BadRegistry['add'] = (tag, labels, as = 'manifest') => {
    const config = Buffer.from(JSON.stringify({ created: '2026-02-03T04:05:06Z', config: { Labels: labels }, tag }))
    blobs.set(digestOf(config), config)
    const inner = addManifest(
      { config: { digest: digestOf(config) }, layers: [] },
      'application/vnd.oci.image.manifest.v1+json',
    )
    if (as === 'manifest') return void tags.set(tag, inner)
    const entries = [
      { digest: `sha256:${'0'.repeat(64)}`, platform: { os: 'unknown', architecture: 'unknown' } },
      { digest: inner, platform: { os: 'linux', architecture: 'amd64' } },
    ]
    tags.set(tag, addManifest({ manifests: entries }, 'application/vnd.oci.image.index.v1+json'))
  }

  const other = http.createServer((request, response) => {
    if (request.headers.authorization !== undefined) leaked.push(request.headers.authorization)
    const bytes = blobs.get(request.url?.split('/').at(-1) ?? '')
    response.writeHead(bytes === undefined ? 404 : 200).end(bytes)
  })
  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://registry')
    asked.push(`${request.method} ${url.pathname}${url.search}`)
    const send = (status: number, headers: http.OutgoingHttpHeaders = {}, body?: Buffer | string) =>
      response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : body)
    if (habits.silent) return
    if (url.pathname === '/token') {
      const basic = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
      if (request.headers.authorization !== basic) return send(401)
      if (url.searchParams.get('scope') !== `repository:${repository}:pull`) return send(400)
      return send(200, {}, JSON.stringify({ access_token: token }))
    }
    if (!allowed(request)) return send(401, { 'www-authenticate': challenge() })
    if (habits.status !== undefined) {
      return send(habits.status, habits.retryAfter === undefined ? {} : { 'retry-after': habits.retryAfter })
    }
    if (habits.garbage === 'html') return send(200, { 'content-type': 'text/html' }, '<html>Welcome</html>')
    if (habits.garbage === 'shape') return send(200, {}, '{"tags":{"v1":true}}')
    if (habits.garbage === 'endless') {
      const pour = () => response.write(Buffer.alloc(256 * 1024, 'x'), (error) => error == null && pour())
      response.writeHead(200)
      return void pour()
    }
    const [, , , kind, name = ''] = url.pathname.split('/').slice(1).map(decodeURIComponent)
    if (!url.pathname.startsWith(`/v2/${repository}/`)) return send(404)
    if (kind === 'tags') return sendTags(url, send)
    if (kind === 'blobs') {
      const there = (other.address() as AddressInfo).port
      if (habits.redirectBlobs) return send(307, { location: `http://127.0.0.1:${there}/cdn/${name}` })
      const bytes = blobs.get(name)
      return bytes === undefined ? send(404) : send(200, {}, bytes)
    }
    const digest = tags.get(name) ?? name
    const found = manifests.get(digest)
    if (found === undefined) return send(404)
    if (!(request.headers.accept ?? '').includes(found.type)) return send(404)
    return send(
      200,
      { 'content-type': found.type, ...(habits.noDigest ? {} : { 'docker-content-digest': digest }) },
      found.bytes,
    )
  })

  function sendTags(url: URL, send: (status: number, headers: http.OutgoingHttpHeaders, body: string) => void) {
    if (habits.endlessPages) {
      const link = `</v2/${repository}/tags/list?n=1000&last=${asked.length}>; rel="next"`
      return send(200, { link }, JSON.stringify({ name: repository, tags: [] }))
    }
    const all = [...tags.keys()]
    const from = all.indexOf(url.searchParams.get('last') ?? '') + 1
    const page = all.slice(from, from + habits.page)
    const more = from + page.length < all.length
    const elsewhere = habits.nextPageElsewhere ? `http://127.0.0.1:${(other.address() as AddressInfo).port}` : ''
    const last = habits.circularPages ? '' : (page.at(-1) ?? '')
    const link = `<${elsewhere}/v2/${repository}/tags/list?n=1000&last=${last}>; rel="next"`
    send(200, more || habits.circularPages ? { link } : {}, JSON.stringify({ name: repository, tags: page }))
  }
  function allowed({ headers: { authorization } }: http.IncomingMessage): boolean {
    if (habits.auth === 'basic')
      return authorization === `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
    return habits.auth === 'none' || authorization === `Bearer ${token}`
  }
  function challenge(): string {
    if (habits.auth === 'basic') return 'Basic realm="a, \\"quoted\\" realm"'
    return `Bearer realm="${habits.realm ?? `${address}/token`}",service="reg",scope="repository:${repository}:pull"`
  }
  for (const one of [server, other]) await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ...{ address, habits, asked, leaked, digests: tags, add },
    async stop() {
      for (const one of [server, other]) {
        one.closeAllConnections()
        await new Promise((resolve) => one.close(resolve))
      }
    },
  }
}
