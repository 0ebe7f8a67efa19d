import type { CallDefinition, SocketDefinition } from '../../shared/contract/define.ts'
import { calls, sockets } from '../../shared/contract/index.ts'

/** Finds the call for a path. Fixed paths are one look-up; paths with parts are matched in turn. */
interface Pattern {
  regex: RegExp
  names: string[]
  methods: Map<string, CallDefinition>
}

export type Found =
  | { kind: 'call'; call: CallDefinition; parts: Record<string, string> }
  | { kind: 'wrong-method'; allow: string }
  | { kind: 'socket' }
  | { kind: 'none' }

export function createRouter(definitions: readonly CallDefinition[] = calls): (method: string, path: string) => Found {
  const fixed = new Map<string, Map<string, CallDefinition>>()
  const patterns = new Map<string, Pattern>()
  for (const call of definitions) {
    // Types say so already; this is for the build that someone makes without them.
    if (call.access !== 'open' && call.access !== 'secret') throw new Error(`${call.name} does not say who may call it`)
    const methods = call.path.includes(':') ? patternFor(patterns, call.path).methods : methodsOf(fixed, call.path)
    if (methods.has(call.method)) throw new Error(`${call.method} ${call.path} is declared twice`)
    methods.set(call.method, call)
  }

  return (method, asked) => {
    const wanted = method === 'HEAD' ? 'GET' : method
    const path = withoutLastSlash(asked)
    const exact = fixed.get(path)
    if (exact !== undefined) return pick(exact, wanted, {})
    for (const pattern of patterns.values()) {
      const match = pattern.regex.exec(path)
      if (match !== null) return pick(pattern.methods, wanted, partsOf(pattern.names, match))
    }
    return { kind: findSocket(path) === undefined ? 'none' : 'socket' }
  }
}

/** Playwright asks for json/version/ with a slash at the end, as Chromium takes it; others write a socket's path so. */
export function withoutLastSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

const socketPatterns = (sockets as readonly SocketDefinition[]).map((socket) => ({ socket, ...compile(socket.path) }))

/** The socket at a path, with the values of the path's parts. */
export function findSocket(path: string): { socket: SocketDefinition; parts: Record<string, string> } | undefined {
  for (const { socket, regex, names } of socketPatterns) {
    const match = regex.exec(path)
    if (match !== null) return { socket, parts: partsOf(names, match) }
  }
  return undefined
}

function methodsOf(table: Map<string, Map<string, CallDefinition>>, path: string): Map<string, CallDefinition> {
  const methods = table.get(path) ?? new Map<string, CallDefinition>()
  table.set(path, methods)
  return methods
}

function patternFor(patterns: Map<string, Pattern>, path: string): Pattern {
  const shape = path.replace(/:[A-Za-z]+/g, ':')
  const existing = patterns.get(shape)
  if (existing !== undefined) return existing
  const pattern = { ...compile(path), methods: new Map<string, CallDefinition>() }
  patterns.set(shape, pattern)
  return pattern
}

function compile(path: string): { regex: RegExp; names: string[] } {
  const names: string[] = []
  const source = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:([A-Za-z]+)/g, (_whole, name: string) => {
    names.push(name)
    return '([^/]+)'
  })
  return { regex: new RegExp(`^${source}$`), names }
}

function pick(methods: Map<string, CallDefinition>, method: string, parts: Record<string, string>): Found {
  const call = methods.get(method)
  if (call === undefined) return { kind: 'wrong-method', allow: allowed(methods) }
  return { kind: 'call', call, parts }
}

/** What can be read can be asked for without its body as well. */
function allowed(methods: Map<string, CallDefinition>): string {
  return [...methods.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
}

function partsOf(names: string[], match: RegExpExecArray): Record<string, string> {
  return Object.fromEntries(names.map((name, index) => [name, decode(match[index + 1] ?? '')]))
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
