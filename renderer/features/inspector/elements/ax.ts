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
}

export interface AxNode {
  key: string
  role: string
  name: string
  value: string
  properties: readonly (readonly [string, string])[]
  backendNodeId: number | null
  sessionId: string | undefined
  /** The frame whose document it is in; empty for the page itself. */
  frame: string
  /** Null while it was not asked for. */
  children: readonly string[] | null
  leaf: boolean
  /** How many of its children were not told of. */
  untold: number
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
export function readAxNodes(
  told: readonly CdpAxNode[],
  sessionId: string | undefined,
  frame = '',
): Map<string, AxNode> {
  // How text is broken into lines is of no use to anyone.
  const nodes = told.filter(({ role }) => text(role) !== 'InlineTextBox')
  const left = new Set(told.filter((node) => !nodes.includes(node)).map(({ nodeId }) => nodeId))
  const byId = new Map(nodes.map((node) => [node.nodeId, node]))
  // Ids are counted by document.
  const keyOf = (id: string) => `${sessionId ?? ''} ${frame}:${id}`
  const standing = (ids: readonly string[], depth = 0): string[] =>
    ids.flatMap((id) => {
      const node = byId.get(id)
      const skipped = node !== undefined && (node.ignored || text(node.role) === 'none') && depth < 200
      return skipped ? standing(node.childIds ?? [], depth + 1) : [keyOf(id)]
    })
  const read = new Map<string, AxNode>()
  for (const node of nodes) {
    const ids = text(node.role) === 'StaticText' ? [] : (node.childIds ?? []).filter((id) => !left.has(id))
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
      sessionId,
      frame,
      // Known only when every child was told as well; what is in a frame is told by the frame.
      children: !isFrame(node) && ids.every((id) => byId.has(id)) ? children : null,
      leaf: children.length === 0 && ids.length === 0 && !isFrame(node),
      untold: ids.filter((id) => !byId.has(id)).length,
    })
  }
  return read
}

const isFrame = ({ role }: CdpAxNode) => text(role) === 'Iframe'
const text = (value: AxValue | undefined) => (value?.value === undefined ? '' : String(value.value))

/** How deep the tree is read at first, and how many nodes that may be. */
const firstLevels = 4
const mostAtFirst = 2000
/** More children than this are not asked for: the answer would be larger than a connection carries. */
const mostChildren = 10_000

/** Whether a node has more inside than can be listed. */
export const isTooWide = ({ children, untold }: Pick<AxNode, 'children' | 'untold'>) =>
  children === null && untold > mostChildren

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
      this.#nodes = readAxNodes(await this.#tree({}, undefined), undefined)
      this.#root = this.#nodes.keys().next().value ?? null
      this.expanded.clear()
      for (const { key, children } of this.#nodes.values()) if (children !== null) this.expanded.add(key)
      this.problem = null
    } catch (error) {
      this.problem = (error as Error).message
    }
    this.changed()
  }

  /** The upper levels of a tree: as many as are soon told, since a wide one would keep the page busy for long. */
  async #tree(params: { frameId?: string }, sessionId: string | undefined): Promise<CdpAxNode[]> {
    for (let depth = 1; ; depth++) {
      const asked = { ...params, depth }
      const { nodes } = await this.#session.send('Accessibility.getFullAXTree', asked, sessionId)
      const told = nodes as CdpAxNode[]
      const known = new Set(told.map(({ nodeId }) => nodeId))
      const next = told.flatMap(({ childIds }) => childIds ?? []).filter((id) => !known.has(id)).length
      if (depth === firstLevels || next === 0 || told.length + next > mostAtFirst) return told
    }
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
    try {
      const children = node.role === 'Iframe' ? await this.#frameOf(node) : await this.#childrenOf(node)
      this.#nodes.set(key, { ...node, children })
    } catch {
      this.expanded.delete(key)
    }
    this.changed()
  }

  async #childrenOf({ key, sessionId, frame }: AxNode): Promise<readonly string[]> {
    const id = key.slice(key.indexOf(':') + 1)
    const params = frame === '' || sessionId !== undefined ? { id } : { id, frameId: frame }
    const told = (await this.#session.send('Accessibility.getChildAXNodes', params, sessionId))['nodes'] as CdpAxNode[]
    this.#add(readAxNodes(told, sessionId, frame))
    // Told flat, with what is ignored among them: those that nobody else in the answer calls its child are ours.
    const inner = new Set(told.flatMap(({ childIds }) => childIds ?? []))
    const childIds = told.map(({ nodeId }) => nodeId).filter((nodeId) => !inner.has(nodeId))
    return readAxNodes([{ nodeId: id, ignored: false, childIds }, ...told], sessionId, frame).get(key)?.children ?? []
  }

  /** The document that a frame shows, which may be another process's. */
  async #frameOf({ backendNodeId, sessionId }: AxNode): Promise<readonly string[]> {
    const { node } = await this.#session.send('DOM.describeNode', { backendNodeId }, sessionId)
    const frameId = String((node as { frameId?: string }).frameId)
    const apart = this.#session.scopeOf(frameId)?.sessionId
    if (apart !== undefined) await this.#session.send('Accessibility.enable', {}, apart)
    const told = await this.#tree(apart === undefined ? { frameId } : {}, apart ?? sessionId)
    const read = readAxNodes(told, apart ?? sessionId, frameId)
    this.#add(read)
    for (const { key, children } of read.values()) if (children !== null) this.expanded.add(key)
    return [...read.keys()].slice(0, 1)
  }

  #add(read: ReadonlyMap<string, AxNode>): void {
    for (const [key, node] of read) if (!this.#nodes.has(key)) this.#nodes.set(key, node)
  }

  rows(): AxRow[] {
    const rows: AxRow[] = []
    const walk = (key: string, depth: number) => {
      const node = this.#nodes.get(key)
      if (node === undefined) return
      const expandable = !node.leaf && (node.children === null ? !isTooWide(node) : node.children.length > 0)
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
