import { LogEngine } from './model/engine.ts'
import type { FromEngine, ToEngine } from './model/protocol.ts'
import { Searcher, type SearchWorker } from './model/searcher.ts'

/** The thread that keeps the lines: the window's own only draws. */
const makeSearcher = () =>
  new Worker(new URL('./search.worker.ts', import.meta.url), {
    type: 'module',
    name: 'search',
  }) as unknown as SearchWorker

const engine = new LogEngine((message: FromEngine) => self.postMessage(message), new Searcher(makeSearcher))

self.onmessage = ({ data, ports }: MessageEvent<ToEngine>) => {
  const [port] = ports
  engine.receive(data.type === 'attach' && port !== undefined ? { ...data, port } : data)
}
