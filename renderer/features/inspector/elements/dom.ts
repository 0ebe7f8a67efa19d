import { Changing } from '../changing.ts'
import type { InspectorSession } from '../session.ts'
import { addNode, type CdpNode, type DomNode, isShown, keyOf, type Nodes, pathTo, removeNode } from './tree.ts'

type Params = Record<string, unknown>

/** The document of the page that is looked at, kept as the page changes it. */
export class DomModel extends Changing {
  readonly #session: InspectorSession
  #nodes: Nodes = new Map()
  #root: string | null = null
  #loading = false
  #generation = 0
  readonly expanded = new Set<string>()
  #selected: string | null = null
  /** The documents of frames that run apart, by connection. */
  readonly #frames = new Map<string, string>()

  constructor(session: InspectorSession) {
    super()
    this.#session = session
    const on = (name: string, take: (params: Params, at: (id: unknown) => string) => void) =>
      session.on(`DOM.${name}`, (params, sessionId) => take(params, (id) => keyOf(sessionId, Number(id))))
    session.on('DOM.setChildNodes', (params, sessionId) => {
      const parent = keyOf(sessionId, Number(params['parentId']))
      const node = this.#nodes.get(parent)
      if (node === undefined) return
      const beside = (node.children ?? []).filter((key) => this.#isBeside(key))
      const keys = (params['nodes'] as CdpNode[])
        .filter(isShown)
        .map((one) => addNode(this.#nodes, one, parent, sessionId))
      this.#change(parent, { children: [...beside, ...keys] })
      this.#attachFrames()
    })
    session.on('DOM.childNodeInserted', (params, sessionId) => {
      const parent = keyOf(sessionId, Number(params['parentNodeId']))
      const inserted = params['node'] as CdpNode
      const children = this.#nodes.get(parent)?.children
      if (children === undefined || children === null || !isShown(inserted)) return
      const key = addNode(this.#nodes, inserted, parent, sessionId)
      const previous = keyOf(sessionId, Number(params['previousNodeId']))
      const rest = children.filter((one) => one !== key)
      const found = rest.indexOf(previous)
      const besides = rest.filter((one) => this.#isBeside(one)).length
      // Space between tags is not kept: what stood behind it goes to the end of what is known.
      const at = Number(params['previousNodeId']) === 0 ? besides : found === -1 ? rest.length : found + 1
      this.#change(parent, { children: rest.toSpliced(at, 0, key), childCount: rest.length + 1 })
      if (inserted.frameId !== undefined) this.#attachFrames()
    })
    on('childNodeRemoved', (params, at) => {
      const [parent, key] = [at(params['parentNodeId']), at(params['nodeId'])]
      const children = this.#nodes.get(parent)?.children
      removeNode(this.#nodes, key)
      if (this.#selected !== null && !this.#nodes.has(this.#selected)) this.#selected = null
      if (children != null) this.#change(parent, { children: children.filter((one) => one !== key) })
    })
    on('childNodeCountUpdated', (params, at) =>
      this.#change(at(params['nodeId']), { childCount: Number(params['childNodeCount']) }),
    )
    on('attributeModified', (params, at) => {
      const [key, name] = [at(params['nodeId']), String(params['name'])]
      const attributes = this.#nodes.get(key)?.attributes ?? []
      const pair = [name, String(params['value'])] as const
      const place = attributes.findIndex(([known]) => known === name)
      this.#change(key, { attributes: place === -1 ? [...attributes, pair] : attributes.with(place, pair) })
    })
    on('attributeRemoved', (params, at) => {
      const key = at(params['nodeId'])
      const attributes = this.#nodes.get(key)?.attributes ?? []
      this.#change(key, { attributes: attributes.filter(([name]) => name !== params['name']) })
    })
    on('characterDataModified', (params, at) =>
      this.#change(at(params['nodeId']), { value: String(params['characterData']) }),
    )
    session.on('DOM.shadowRootPushed', (params, sessionId) => {
      const host = keyOf(sessionId, Number(params['hostId']))
      const children = this.#nodes.get(host)?.children
      if (children === undefined) return
      const key = addNode(this.#nodes, params['root'] as CdpNode, host, sessionId)
      if (children !== null) this.#change(host, { children: [key, ...children.filter((one) => one !== key)] })
    })
    session.on('DOM.documentUpdated', (_params, sessionId) => {
      if (sessionId === undefined) void this.load()
      else void this.#loadFrame(sessionId)
    })
    session.onReset(() => this.#forget())
    session.onScope(({ sessionId, type }) => {
      if (sessionId === undefined) void this.load()
      else if (type === 'iframe') void this.#loadFrame(sessionId)
    })
  }

  get nodes(): Nodes {
    return this.#nodes
  }

  get root(): string | null {
    return this.#root
  }

  /** Counts the documents that were read: keys of one mean nothing in the next. */
  get generation(): number {
    return this.#generation
  }

  get loading(): boolean {
    return this.#loading
  }

  get selected(): DomNode | null {
    return this.#selected === null ? null : (this.#nodes.get(this.#selected) ?? null)
  }

  select(key: string | null): void {
    this.#selected = key
    this.changed()
  }

  toggle(key: string, open: boolean): void {
    if (open) {
      this.expanded.add(key)
      void this.#fetch(key)
    } else this.expanded.delete(key)
    this.changed()
  }

  /** Opens the way down to a node that Chromium has told about, and selects it. */
  reveal(key: string): void {
    for (const one of pathTo(this.#nodes, key).slice(0, -1)) this.expanded.add(one)
    this.select(key)
  }

  async load(): Promise<void> {
    this.#loading = true
    this.changed()
    try {
      await this.#session.send('DOM.enable')
      const { root } = await this.#session.send('DOM.getDocument', { depth: 3 })
      this.#forget()
      this.#generation++
      this.#root = addNode(this.#nodes, root as unknown as CdpNode, null, undefined)
      this.#openTop()
      this.#attachFrames()
    } catch {
      // The connection ended; the next one loads it again.
    } finally {
      this.#loading = false
      this.changed()
    }
  }

  /** Finds nodes by text, selector or XPath, in the page and in frames that run apart. */
  async search(query: string): Promise<{ keys: string[]; total: number }> {
    const scopes = this.#session.scopes.filter(({ type }) => type === 'page' || type === 'iframe')
    const found = await Promise.all(
      // A frame that is just going away has nothing to find.
      scopes.map(({ sessionId }) => this.#searchIn(query, sessionId).catch(() => ({ keys: [], total: 0 }))),
    )
    return { keys: found.flatMap(({ keys }) => keys), total: found.reduce((sum, { total }) => sum + total, 0) }
  }

  async #searchIn(query: string, sessionId: string | undefined): Promise<{ keys: string[]; total: number }> {
    const ask = (method: string, params: Params) => this.#session.send(`DOM.${method}`, params, sessionId)
    const found = await ask('performSearch', { query, includeUserAgentShadowDOM: false })
    const searchId = String(found['searchId'])
    const total = Number(found['resultCount'])
    if (total === 0) return { keys: [], total }
    // The ids come after the nodes on the way to them, which are told as they are for anything that is opened.
    const range = { searchId, fromIndex: 0, toIndex: Math.min(total, 200) }
    const { nodeIds } = await ask('getSearchResults', range)
    ask('discardSearchResults', { searchId }).catch(() => {})
    const keys = (nodeIds as number[]).map((id) => keyOf(sessionId, id)).filter((key) => this.#nodes.has(key))
    return { keys, total }
  }

  async #fetch(key: string): Promise<void> {
    const node = this.#nodes.get(key)
    if (node === undefined || node.children !== null) return
    await this.#session
      .send('DOM.requestChildNodes', { nodeId: node.nodeId, depth: 1 }, node.sessionId)
      .catch(() => this.expanded.delete(key))
    this.changed()
  }

  /** The document of a frame that runs apart hangs below the element that shows it. */
  async #loadFrame(sessionId: string): Promise<void> {
    try {
      await this.#session.send('DOM.enable', {}, sessionId)
      const { root } = await this.#session.send('DOM.getDocument', { depth: 2 }, sessionId)
      addNode(this.#nodes, root as unknown as CdpNode, null, sessionId)
      this.#frames.set(sessionId, keyOf(sessionId, (root as { nodeId: number }).nodeId))
      this.#attachFrames()
    } catch {
      // It went away again.
    }
  }

  #attachFrames(): void {
    for (const { sessionId, targetId } of this.#session.scopes) {
      const root = sessionId === undefined ? undefined : this.#frames.get(sessionId)
      if (root === undefined || !this.#nodes.has(root)) continue
      // The document's own root element names the frame as well.
      const owner = [...this.#nodes.values()].find((node) => node.frameId === targetId && node.sessionId !== sessionId)
      if (owner === undefined) continue
      this.#change(root, { parent: owner.key })
      this.#change(owner.key, { children: [root], childCount: 1 })
    }
  }

  /** html, and head and body as they stand: what everyone opens first. */
  #openTop(): void {
    const document = this.#root === null ? undefined : this.#nodes.get(this.#root)
    if (document === undefined) return
    this.expanded.add(document.key)
    for (const key of document.children ?? []) {
      const node = this.#nodes.get(key)
      if (node?.name !== 'html') continue
      this.expanded.add(key)
      for (const child of node.children ?? []) if (this.#nodes.get(child)?.name === 'body') this.toggle(child, true)
    }
  }

  #isBeside(key: string): boolean {
    const kind = this.#nodes.get(key)?.kind
    return kind === 'shadow' || kind === 'template' || kind === 'document' || kind === 'pseudo'
  }

  #change(key: string, changed: Partial<DomNode>): void {
    const node = this.#nodes.get(key)
    if (node === undefined) return
    this.#nodes.set(key, { ...node, ...changed })
    this.changed()
  }

  #forget(): void {
    this.#nodes = new Map([...this.#nodes].filter(([, node]) => node.sessionId !== undefined && this.#isAlive(node)))
    this.#root = null
    this.#selected = null
    this.expanded.clear()
  }

  #isAlive({ sessionId }: DomNode): boolean {
    return this.#session.scopes.some((scope) => scope.sessionId === sessionId)
  }
}

const models = new WeakMap<InspectorSession, DomModel>()

export function domOf(session: InspectorSession): DomModel {
  const model = models.get(session) ?? new DomModel(session)
  models.set(session, model)
  return model
}
