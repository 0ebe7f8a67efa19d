import type http from 'node:http'

const attack = '<img src=x onerror="globalThis.ran=1"><script>globalThis.ran=1</script>'

/** Says something at every level, fetches, and has all that a tree can have. */
const shop = (
  other: string,
) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop ${attack.replaceAll('<', '&lt;')}</title>
  <style>body{margin:0;font:16px sans-serif;background:#fff} #mark{margin:20px;padding:10px;width:300px;height:80px;background:#eee}</style>
  <h1>Shop</h1><div id="mark" data-kind="box" data-hostile='${attack.replaceAll("'", '')}'><span class="price">12 €</span></div>
  <div id="host"></div><iframe id="near" src="/inner" title="near"></iframe><iframe id="far" src="${other}/inner" title="far"></iframe>
  <button aria-pressed="true">Like</button>
  <script>
    host.attachShadow({ mode: 'open' }).innerHTML = '<em>in the shadow</em>'
    console.log('plain %s', 'words', { first: 1, deep: { second: 'two', get trap() { globalThis.trapped = 1 } } })
    console.info('for your information'); console.warn('careful'); console.debug('in detail')
    for (let i = 0; i < 7; i++) console.error('bad', i < 0)
    console.log(${JSON.stringify(attack).replaceAll('</', '<\\/')})
    setTimeout(() => { throw new TypeError('nobody caught this') })
    fetch('/api/order.json?id=7', { headers: { 'x-trace': 'abc' } }); fetch('/missing')
  </script>`
/** One red point. */
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC'
const routes: Record<string, (response: http.ServerResponse, other: string) => void> = {
  '/shop': (response, other) => response.end(shop(other)),
  '/inner': (response) =>
    response.end(
      '<!doctype html><title>Inner</title><p id="inner">inside a frame</p><script>localStorage.setItem("at", location.hostname)</script>',
    ),
  '/silent': () => {},
  '/second': (response) => response.end('<!doctype html><title>Second</title><h1>The second page</h1>'),
  '/large': (response) =>
    response.end(`<!doctype html><title>Large</title><ul id="list">${'<li class="row"><b>x</b></li>'.repeat(5000)}</ul><script>
      for (let i = 0; i < 1000; i++) fetch('/api/order.json?n=' + i)</script>`),
  '/news': (response) => {
    response.setHeader('content-type', 'text/event-stream')
    response.write('id: 7\nevent: price\ndata: {"tea":12}\n\n')
  },
  '/dot.png': (response) => {
    response.setHeader('content-type', 'image/png')
    response.end(Buffer.from(dot, 'base64'))
  },
  '/sent-on': (response) => {
    response.statusCode = 302
    response.setHeader('location', '/api/order.json?n=last')
    response.end()
  },
  '/api/order.json': (response) => {
    response.setHeader('content-type', 'application/json')
    response.setHeader('set-cookie', 'session=canary-cookie; HttpOnly')
    response.end('{"order":7,"lines":["tea"]}')
  },
}

/** A shop whose pages have all that an inspector can show; `localhost` serves as another site beside it. */
export function answerAsShop(request: http.IncomingMessage, response: http.ServerResponse, site: string): void {
  const { pathname } = new URL(request.url ?? '/', 'http://x')
  const route = routes[pathname]
  if (route === undefined) response.statusCode = 404
  if (route === undefined) response.end('nothing here')
  else route(response, site.replace('127.0.0.1', 'localhost'))
}
