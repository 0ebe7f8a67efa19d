import { Changing } from '../changing.ts'
import type { InspectorSession } from '../session.ts'

interface AxValue {
  value?: unknown
}

interface CdpAxNode {
  nodeId: string
  ignored: boolean
  role?: AxValue
  name?: AxValue
  value?: AxValue
  description?: AxValue
  properties?: { name: string; value: AxValue }[]
  childIds?: string[]
  backendDOMNodeId?: number
  frameId?: string
}

export interface AxNode {
  key: string
  role: string
  name: string
  value: string
  properties: readonly (readonly [string, string])[]
  backendNodeId: number | null
  frameId: string | undefined
  sessionId: string | undefined
  /** Null while it was not asked for. */
  children: readonly string[] | null
  leaf: boolean
}

export interface AxRow {
  key: string
  depth: number
  expandable: boolean
  expanded: boolean
  closing: false
}

const shownProperties = new Set(
  'checked disabled expanded focused invalid level multiline multiselectable pressed readonly required selected'.split(
    ' ',
  ),
)

/** Nodes as they come from the browser, those that stand for nothing left out: their children take their place. */
export function readAxNodes(nodes: readonly CdpAxNode[], sessionId: string | undefined): Map<string, AxNode> {
  const byId = new Map(nodes.map((node) => [node.nodeId, node]))
  const keyOf = (id: string) => `${sessionId ?? ''}:${id}`
  const standing = (ids: readonly string[], depth = 0): string[] =>
    ids.flatMap((id) => {
      const node = byId.get(id)
      const skipped = node !== undefined && (node.ignored || text(node.role) === 'none') && depth < 200
      return skipped ? standing(node.childIds ?? [], depth + 1) : [keyOf(id)]
    })
  const read = new Map<string, AxNode>()
  for (const node of nodes) {
    const ids = node.childIds ?? []
    const children = standing(ids)
    read.set(keyOf(node.nodeId), {
      key: keyOf(node.nodeId),
      role: text(node.role) || 'unknown',
      name: text(node.name),
      value: text(node.value),
      properties: (node.properties ?? [])
        .filter(({ name, value }) => shownProperties.has(name) && value.value !== false && value.value !== 'false')
        .map(({ name, value }) => [name, String(value.value)] as const),
      backendNodeId: node.backendDOMNodeId ?? null,
      frameId: node.frameId,
      sessionId,
      // Known only when every child was told as well.
      children: ids.every((id) => byId.has(id)) ? children : null,
      leaf: children.length === 0 && ids.length === 0,
    })
  }
  return read
}

const text = (value: AxValue | undefined) => (value?.value === undefined ? '' : String(value.value))

/** What assistive technology makes of the page; fetched as it is opened, and anew on request. */
export class AxModel extends Changing {
  readonly #session: InspectorSession
  #nodes = new Map<string, AxNode>()
  #root: string | null = null
  readonly expanded = new Set<string>()
  problem: string | null = null

  constructor(session: InspectorSession) {
    super()
    this.#session = session
    session.onReset(() => {
      this.#nodes = new Map()
      this.#root = null
      this.expanded.clear()
      this.changed()
    })
  }

  get root(): string | null {
    return this.#root
  }

  node(key: string): AxNode | undefined {
    return this.#nodes.get(key)
  }

  async load(): Promise<void> {
    try {
      await this.#session.send('Accessibility.enable')
      const { nodes } = await this.#session.send('Accessibility.getFullAXTree', { depth: 4 })
      this.#nodes = readAxNodes(nodes as CdpAxNode[], undefined)
      this.#root = this.#nodes.keys().next().value ?? null
      this.expanded.clear()
      for (const { key, children } of this.#nodes.values()) if (children !== null) this.expanded.add(key)
      this.problem = null
    } catch (error) {
      this.problem = (error as Error).message
    }
    this.changed()
  }

  toggle(key: string, open: boolean): void {
    if (open) {
      this.expanded.add(key)
      void this.#fetch(key)
    } else this.expanded.delete(key)
    this.changed()
  }

  async #fetch(key: string): Promise<void> {
    const node = this.#nodes.get(key)
    if (node === undefined || node.children !== null) return
    const id = key.slice(key.indexOf(':') + 1)
    try {
      const { nodes } = await this.#session.send('Accessibility.getChildAXNodes', { id }, node.sessionId)
      const told = nodes as CdpAxNode[]
      const read = readAxNodes(told, node.sessionId)
      for (const [childKey, child] of read) if (!this.#nodes.has(childKey)) this.#nodes.set(childKey, child)
      const inner = new Set(told.flatMap(({ childIds }) => childIds ?? []))
      const first = told.filter(({ nodeId }) => !inner.has(nodeId)).map(({ nodeId }) => nodeId)
      // Told flat, with what is ignored among them: those that nobody else in the answer calls its child are ours.
      const parent: CdpAxNode = { nodeId: id, ignored: false, childIds: first }
      const children = readAxNodes([parent, ...told], node.sessionId).get(key)?.children ?? []
      this.#nodes.set(key, { ...node, children })
    } catch {
      this.expanded.delete(key)
    }
    this.changed()
  }

  rows(): AxRow[] {
    const rows: AxRow[] = []
    const walk = (key: string, depth: number) => {
      const node = this.#nodes.get(key)
      if (node === undefined) return
      const expandable = !node.leaf && (node.children === null || node.children.length > 0)
      const expanded = expandable && this.expanded.has(key)
      rows.push({ key, depth, expandable, expanded, closing: false })
      if (expanded) for (const child of node.children ?? []) walk(child, depth + 1)
    }
    if (this.#root !== null) walk(this.#root, 0)
    return rows
  }
}

const models = new WeakMap<InspectorSession, AxModel>()

export function axOf(session: InspectorSession): AxModel {
  const model = models.get(session) ?? new AxModel(session)
  models.set(session, model)
  return model
}
