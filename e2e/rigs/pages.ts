import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { freshFolder } from './folder.ts'

/** Pages for tests, some of which fight back. */
export interface PageServer {
  /** `http://127.0.0.1:port` */
  origin: string
  /** The same server under another name, which for a browser is another site. */
  otherOrigin: string
  /** The same with a certificate that nobody trusts. */
  untrustedOrigin: string
  /** The paths asked for so far. */
  asked: string[]
  stop(): Promise<void>
}

/** What a server knows beside the request: its other name, and which pages of the kind that come once have been seen. */
interface Site {
  other: string
  once: Set<string>
}
type Route = (request: http.IncomingMessage, response: http.ServerResponse, site: Site) => void

const html =
  (body: string, headers: http.OutgoingHttpHeaders = {}): Route =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers })
    response.end(`<!doctype html><meta charset="utf-8">${body}`)
  }
const redirect =
  (to: string, status = 302): Route =>
  (_request, response) => {
    response.writeHead(status, { location: to })
    response.end()
  }
/** Notes what happens in `window.log`, for the test to read. */
const log = '<script>window.log = []</script>'

/** Says in a paragraph what was done to the fields. */
const followFields = `function follow(root) {
  const at = (name) => root.querySelector('.' + name); const done = {}
  const tell = () => { at('told').textContent = [done.choice, done.over, done.long, done.file].join(', ') }
  at('choice').onchange = (e) => { done.choice = e.target.value; tell() }
  at('over').onmouseover = () => { done.over = 'over'; tell() }
  at('long').onscroll = (e) => { done.long = e.target.scrollTop; tell() }
  at('file').onchange = (e) => { done.file = e.target.files[0].name; tell() } }`

/** An answer of a known length. */
export const exact = {
  path: '/exact.js',
  answer: `HTTP/1.1 200 OK\r\nContent-Type: text/javascript\r\nContent-Length: 5000\r\nConnection: close\r\n\r\n/*${'x'.repeat(4996)}*/`,
}

const routes: Record<string, Route> = {
  '/': html('<title>Home</title><h1>Home</h1><a href="/article">Article</a>'),
  '/article': html(`<title>Article</title>
    <nav>Menu <a href="/">Home</a></nav><header><h1>The article</h1></header>
    <main><p>First <strong>bold</strong> word, <a href="/form">a link</a>.</p>
      <ul><li>one</li><li>two</li></ul><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
      <pre><code>x = 1</code></pre><div class="highlight highlight-source-python"><pre><div>def f():</div><div>    <b>pass</b></div></pre></div>
      <ul><li><input type="checkbox" checked> done</li><li><input type="checkbox"> to do</li></ul>
      <svg width="9" height="9"><a href="inside"><text>drawn</text></a></svg><p hidden>unseen</p><p style="display:none">undisplayed</p>
      <x-note></x-note></main>
    <aside>Advert</aside><footer>Imprint</footer><script>var scripted</script>
    <script>customElements.define('x-note', class extends HTMLElement {
      constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = '<p>From the shadow <a href="/shadow">deep link</a></p>' } })</script>`),
  '/form': html(`<title>Form</title>${log}
    <input id="name" value="old"><input id="mail" type="email"><textarea id="text"></textarea><input id="day" type="date">
    <input id="off" disabled><input id="fixed" readonly value="x"><div id="edit" contenteditable>ab</div><div id="plain">plain</div>
    <select id="choice"><option value="a">Apple
      pie</option><option value="b">Berry</option></select>
    <input id="file" type="file" style="display:none"><button id="go" onclick="log.push('go')">Go</button>
    <label><input id="tick" type="checkbox" style="position:absolute;opacity:0">Tick<span>…</span></label>
    <div id="over" onmouseover="log.push('over')">hover</div>
    <script>
      for (const type of ['keydown', 'input', 'change', 'dblclick', 'contextmenu', 'auxclick'])
        addEventListener(type, (e) => log.push(type + ':' + (e.key ?? e.target.id)), true)
      document.getElementById('file').addEventListener('change', (e) => log.push('file:' + e.target.files[0].name))
    </script>`),
  '/late': html(`<title>Late</title>${log}<script>setTimeout(() => {
      document.body.insertAdjacentHTML('beforeend', '<button id="late" onclick="log.push(1)">Late</button>') }, 400)</script>`),
  '/going': html(`<title>Going</title><p id="going">x</p><script>setTimeout(() => going.remove(), 400)</script>`),
  '/covered': html(`<title>Covered</title>${log}<button id="under" onclick="log.push('under')">Under</button>
    <div id="veil" class="overlay" style="position:fixed;inset:0;background:#0003"></div>
    <script>if (location.search) setTimeout(() => veil.remove(), 400)</script>`),
  '/sticky':
    html(`<title>Sticky</title>${log}<div style="position:fixed;top:0;left:0;right:0;height:60%;background:#ccc" id="bar"></div>
    <div style="height:3000px"></div><button id="far" onclick="log.push('far')">Far</button><div style="height:3000px"></div>`),
  '/moving': html(`<title>Moving</title>${log}<style>@keyframes go { from { left: 0 } to { left: 300px } }
      #run { position: absolute; top: 50px; animation: go 600ms linear 1 forwards }</style>
    <button id="run" onclick="log.push('run')">Run</button>`),
  '/restless': html(`<title>Restless</title><style>@keyframes go { from { left: 0 } to { left: 300px } }
      #run { position: absolute; animation: go 1s linear infinite alternate }</style><button id="run">Run</button>`),
  '/hidden': html('<title>Hidden</title><button id="no" style="visibility:hidden">No</button>'),
  '/shadow': html(`<title>Shadow</title>${log}<div id="host"></div><script>
    const outer = host.attachShadow({ mode: 'open' }); outer.innerHTML = '<section></section>'
    const inner = outer.querySelector('section').attachShadow({ mode: 'open' })
    inner.innerHTML = '<button class="deep">Deep</button><input class="field">'
    inner.querySelector('button').onclick = () => log.push('deep')</script>`),
  '/frames': (request, response, site) =>
    html(`<title>Frames</title><div style="height:900px">above</div>
      <iframe id="near" src="/inner?near" style="border:7px solid; padding:5px; width:300px; height:100px"></iframe>
      <iframe id="far" src="${site.other}/inner?far" style="border:9px solid; width:300px; height:100px"></iframe>`)(
      request,
      response,
      site,
    ),
  '/inner': html(`<title>Inner</title><body style="margin:0"><div style="height:400px"></div>
    <button onclick="document.title = 'clicked'; parent.postMessage(location.search, '*')">Inner</button><input>
    <p>text of the frame</p><a href="/inner-link">inner link</a><script>
      const kind = location.search.slice(1); for (const e of document.querySelectorAll('button, input, p')) e.className = kind
    </script>`),
  // The same fields in a frame of another site, or in a shadow root.
  '/deep': (request, response, site) =>
    (request.url?.endsWith('frame')
      ? html(`<title>Deep</title><iframe src="${site.other}/fields" style="width:500px;height:300px"></iframe>`)
      : html(`<title>Deep</title><div id="host"></div><script>fetch('/fields').then((r) => r.text()).then((text) => {
          const root = host.attachShadow({ mode: 'open' }); root.innerHTML = text; follow(root) })
          ${followFields}</script>`))(request, response, site),
  '/fields':
    html(`<select class="choice"><option value="a">A<option value="b">B</select><input type="file" class="file">
    <div class="over">over</div><div class="long" style="height:60px;overflow:auto"><div style="height:900px"></div></div>
    <p class="told">-</p><script>${followFields}; follow(document)</script>`),
  '/stays': html(`<title>Stays</title>${log}<button id="b">b</button><script>
    addEventListener('beforeunload', (e) => { e.preventDefault(); e.returnValue = 'x' })</script>`),
  '/dialogs': html(`<title>Dialogs</title>${log}
    <button id="alert" onclick="alert('Look out'); log.push('alerted')">a</button>
    <button id="confirm" onclick="log.push(confirm('Sure?'))">c</button>
    <button id="prompt" onclick="log.push(prompt('Name?', 'nobody'))">p</button>`),
  '/alerts-at-once': html('<title>Alerts</title><script>alert("At once")</script>'),
  '/loop': html('<title>Loop</title><p id="p">x</p><script>setTimeout(() => { for (;;); }, 50)</script>'),
  '/loops': html(`<title>Loops</title><p id="p">x</p><script>
    setInterval(() => { for (;;); }, location.search.slice(1) || 10)</script>`),
  // A form with a field for each thing that it could be asked, as a shop that sells nodes would have.
  '/named-fields': html(`<title>Fields</title>${log}<h1>Before</h1><form id="all" class="wide">
    ${['id', 'matches', 'parentNode', 'isConnected', 'getBoundingClientRect', 'getClientRects', 'checkVisibility', 'localName', 'childNodes', 'nodeType', 'nodeValue', 'getAttribute', 'innerText', 'outerHTML', 'closest', 'scrollIntoView', 'scrollBy', 'focus', 'getRootNode', 'assignedSlot', 'title'].map((name) => `<input name="${name}" style="width: 9px">`).join('')}
    <fieldset name="shadowRoot" form="all"><legend>Nested</legend></fieldset><p>Inside the form</p>
    <button id="inner" type="button" onclick="log.push('inner')">Press</button><a href="/article">Read</a></form>`),
  '/values':
    html(`<title>Values</title><input id="count" type="number" value="12"><input id="mail" type="email" value="a@b.">
    <input id="day" type="date" value="2026-01-31"><input id="paint" type="color" value="#00ff00">
    <input id="much" type="range" min="0" max="10" value="3">${log}<script>
      for (const type of ['input', 'change']) addEventListener(type, (e) => log.push(type + ':' + e.target.id))</script>`),
  '/popup': html(`<title>Opener</title><button id="open" onclick="window.open('/form')">Open</button>
    <a id="blank" href="/article" target="_blank">blank</a>`),
  '/never': () => {},
  // There the first time it is asked for, and from then on as its address says.
  '/once': (request, response, site) => {
    const url = request.url ?? ''
    const known = site.once.has(url)
    site.once.add(url)
    if (!known) html('<title>Once</title>', { 'cache-control': 'no-store' })(request, response, site)
    else if (url.includes('then=cut')) request.socket.destroy()
  },
  '/half': (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.write(`<!doctype html><title>Half</title><p>${'first half '.repeat(200)}</p><img src="/never">`)
  },
  // It says how long it is, and its server is gone in the middle of it.
  '/torn': (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-length': 10_000 })
    response.write('<!doctype html><title>Torn</title><p>the first words', () => response.destroy())
  },
  '/no-zip': html('this is not gzip', { 'content-encoding': 'gzip' }),
  '/stopped': html('<title>Stopped</title><p>read</p><script>stop()</script><p>never read</p>'),
  '/unfinished': html('<title>Unfinished</title><img src="/never?picture">'),
  '/busy': html(
    '<title>Busy</title><script>setTimeout(() => fetch("/slow?ms=300").then(() => { window.done = true }), 10)</script>',
  ),
  '/slow': (request, response) => {
    const ms = Number(new URL(request.url ?? '', 'http://x').searchParams.get('ms') ?? 200)
    setTimeout(() => response.end('slow'), ms)
  },
  '/file': (request, response) => {
    const name = new URL(request.url ?? '', 'http://x').searchParams.get('name') ?? 'report.bin'
    response.writeHead(200, {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${name}"`,
    })
    response.end(Buffer.alloc(2000, 7))
  },
  '/nothing': (_request, response) => {
    response.writeHead(204)
    response.end()
  },
  '/missing': (_request, response) => {
    response.writeHead(404, { 'content-type': 'text/html' })
    response.end('<title>Missing</title>not here')
  },
  '/empty-500': (_request, response) => {
    response.writeHead(500)
    response.end()
  },
  '/members': (request, response) => {
    const known = request.headers.authorization === `Basic ${btoa('ann:canary-password')}`
    response.writeHead(known ? 200 : 401, { 'www-authenticate': 'Basic realm="members"', 'content-type': 'text/html' })
    response.end(known ? '<title>Members</title>' : 'no')
  },
  '/cut': (request) => request.socket.destroy(),
  '/moved': redirect('/moved-again', 301),
  '/moved-again': redirect('/article'),
  '/round': redirect('/round'),
  '/script-moved': html('<title>Moving on</title><script>location.replace("/article")</script>'),
  '/console': html(`<title>Console</title><script>
    console.log('plain', 1, { a: 1 }, [1, 2]); console.warn('careful'); console.error('bad'); console.info('info'); console.debug('debug')
    new Worker(URL.createObjectURL(new Blob(['console.log("from a worker")'])))
    setTimeout(() => { throw new Error('nobody caught this') })
  </script>`),
  '/reloads': html(`<title>Reloads</title><p>again</p><script>const seen = Number(sessionStorage.seen ?? 0)
      if (seen < 15) { sessionStorage.seen = seen + 1; setTimeout(() => location.reload()) }</script>`),
  '/tagged': (request, response) => {
    const known = request.headers['if-none-match'] === '"same"'
    response.writeHead(known ? 304 : 200, { etag: '"same"', 'cache-control': 'no-cache' })
    response.end(known ? undefined : 'x'.repeat(5000))
  },
  '/drip': (_request, response) => void response.writeHead(200).write('x'.repeat(1000)),
  '/shares-worker': html(
    "<title>Shares</title><script>navigator.serviceWorker.register('/service-worker.js')</script>",
  ),
  '/service-worker.js': (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/javascript' })
    response.end("console.log('from a service worker')")
  },
  '/assets': html('<title>Assets</title><script src="/asset.js"></script><img src="/missing">'),
  // Byte for byte, so that it is known what came over the wire.
  [exact.path]: (_request, response) => void response.socket?.end(exact.answer),
  '/kept.js': (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/javascript', 'cache-control': 'max-age=600' })
    response.end('window.kept = 1')
  },
  '/asset.js': (_request, response) => {
    const body = gzipSync(Buffer.from(`/* ${'filler '.repeat(3000)} */`))
    response.writeHead(200, {
      'content-type': 'text/javascript',
      'content-encoding': 'gzip',
      'content-length': body.length,
      'cache-control': 'no-store',
    })
    response.end(body)
  },
  '/tall': html(
    '<title>Tall</title><body style="margin:0"><div id="box" style="width:200px;height:100px;background:red"></div><div style="height:4000px;background:linear-gradient(red,blue)"></div>',
  ),
  '/huge': html(
    '<title>Huge</title><script>document.write("<p>word <b>bold</b></p>".repeat(40000))</script><button id="last">Last</button>',
  ),
  // In pieces that are each as wide as a space may be.
  '/spaces': html(`<title>Spaces</title><pre><a href="/" id="s">a</a></pre>
    <script>for (let i = 0; i < 400; i++) s.append(' '.repeat(900)); s.append('\\u00a0')</script>`),
  '/nested': html(`<title>Nested</title><p id="p"></p><script>let inner = p
    for (let i = 0; i < 3000; i++) { inner.append(i % 1000 === 0 ? 'level ' + i : ''); inner = inner.appendChild(document.createElement('span')) }
    inner.append('deep down'); inner.insertAdjacentHTML('beforeend', '<script>var scripted<' + '/script><i hidden>unseen</i>')</script>`),
  '/scroller': html(
    `<title>Scroller</title><body style="margin:0;overflow:hidden"><div id="list" style="height:100vh;overflow:auto"><div style="height:5000px">x</div></div>`,
  ),
  '/framed': html(
    '<title>Framed</title><body style="margin:0;overflow:hidden"><iframe src="/scroller" style="border:0;width:100vw;height:100vh"></iframe>',
  ),
  '/outside': html('<title>Outside</title><button id="out" style="position:absolute;left:-500px">Out</button>'),
  '/aria':
    html(`<title>Aria</title><h1>Head</h1><button aria-pressed="true">Toggle</button><input aria-label="City" value="Rome">
    <input type="checkbox" checked aria-label="Agree"><a href="/">Home</a><div role="none"><p>para</p></div>`),
  '/cookies': html('<title>Cookies</title>', { 'set-cookie': ['server=1; Path=/', 'hidden=2; HttpOnly; Path=/'] }),
  // A small site: home → a, b; a → c, home; b → a, gone, file, elsewhere.
  '/site/': html(
    '<title>S</title><a href="a">a</a><a href="b#part">b</a><a href="b#other">b</a><a href="mailto:x@y.z">m</a>',
  ),
  '/site/a': html(
    '<title>A</title><p>Page A</p><a href="c">c</a><a href="/site/">home</a><script>alert("hello")</script>',
  ),
  '/site/b': (request, response, site) =>
    html(
      `<title>B</title><a href="a">a</a><a href="gone">g</a><a href="/file">f</a><a href="${site.other}/site/x">x</a><a href="to-a">r</a>`,
    )(request, response, site),
  '/site/c': html('<title>C</title><p>Page C</p><a href="d">d</a>'),
  '/site/d': html('<title>D</title>'),
  '/site/gone': (request) => request.socket.destroy(),
  '/site/to-a': redirect('/site/a'),
  '/site/elsewhere': (request, response, site) => redirect(`${site.other}/site/`)(request, response, site),
}

export async function startPages(): Promise<PageServer> {
  const asked: string[] = []
  const site: Site = { other: '', once: new Set() }
  const answer = (request: http.IncomingMessage, response: http.ServerResponse) => {
    const { pathname } = new URL(request.url ?? '/', 'http://x')
    asked.push(pathname)
    const route = routes[pathname] ?? routes['/missing']
    route?.(request, response, site)
  }
  const { folder, remove } = freshFolder('pages')
  const server = http.createServer(answer)
  const secure = https.createServer(selfSigned(folder), answer)
  const port = await listen(server)
  const securePort = await listen(secure)
  site.other = `http://localhost:${port}`
  return {
    origin: `http://127.0.0.1:${port}`,
    otherOrigin: site.other,
    untrustedOrigin: `https://127.0.0.1:${securePort}`,
    asked,
    async stop() {
      for (const one of [server, secure]) {
        one.closeAllConnections()
        await new Promise((resolve) => one.close(resolve))
      }
      remove()
    },
  }
}

async function listen(server: http.Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

function selfSigned(folder: string): { key: Buffer; cert: Buffer } {
  const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')]
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', [...made, '-subj', '/CN=nobody', '-keyout', key, '-out', cert], { stdio: 'ignore' })
  return { key: readFileSync(key), cert: readFileSync(cert) }
}
