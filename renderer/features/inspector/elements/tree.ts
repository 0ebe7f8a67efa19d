/** The page's document as a tree that is fetched as it is opened. Pure: commands and events come from the model. */

export interface CdpNode {
  nodeId: number
  backendNodeId: number
  nodeType: number
  nodeName: string
  localName: string
  nodeValue: string
  childNodeCount?: number
  children?: CdpNode[]
  attributes?: string[]
  frameId?: string
  contentDocument?: CdpNode
  shadowRoots?: CdpNode[]
  templateContent?: CdpNode
  pseudoElements?: CdpNode[]
  pseudoType?: string
  shadowRootType?: string
  documentURL?: string
  publicId?: string
}

export interface DomNode {
  /** Ids are counted anew in each connection. */
  key: string
  sessionId: string | undefined
  nodeId: number
  backendNodeId: number
  kind: 'document' | 'element' | 'text' | 'comment' | 'doctype' | 'shadow' | 'template' | 'pseudo' | 'other'
  name: string
  value: string
  attributes: readonly (readonly [string, string])[]
  parent: string | null
  /** Keys of what is shown inside, in order; null while it was not fetched. */
  children: readonly string[] | null
  childCount: number
  frameId: string | undefined
  /** What it is told about itself: the kind of a shadow root, the address of a document. */
  note: string
}

const kinds: Record<number, DomNode['kind']> = { 1: 'element', 3: 'text', 8: 'comment', 9: 'document', 10: 'doctype' }

export const keyOf = (sessionId: string | undefined, nodeId: number) => `${sessionId ?? ''}:${nodeId}`

export type Nodes = Map<string, DomNode>

/** Adds a node with everything that came with it; returns its key. */
export function addNode(nodes: Nodes, node: CdpNode, parent: string | null, sessionId: string | undefined): string {
  const key = keyOf(sessionId, node.nodeId)
  const add = (child: CdpNode) => addNode(nodes, child, key, sessionId)
  const before = nodes.get(key)?.children ?? null
  // What hangs beside the children is always told; the children themselves only when they were asked for.
  const beside = [
    ...(node.shadowRoots ?? []),
    ...(node.templateContent === undefined ? [] : [node.templateContent]),
    ...(node.contentDocument === undefined ? [] : [node.contentDocument]),
    ...(node.pseudoElements ?? []).filter(({ pseudoType }) => pseudoType === 'before'),
  ].map(add)
  const after = (node.pseudoElements ?? []).filter(({ pseudoType }) => pseudoType !== 'before').map(add)
  const count = node.childNodeCount ?? node.children?.length ?? 0
  const children =
    node.children !== undefined
      ? [...beside, ...node.children.filter(isShown).map(add), ...after]
      : count === 0
        ? [...beside, ...after]
        : before
  nodes.set(key, {
    key,
    sessionId,
    nodeId: node.nodeId,
    backendNodeId: node.backendNodeId,
    kind: kindOf(node),
    name: node.localName || node.nodeName,
    value: node.nodeValue,
    attributes: pairs(node.attributes ?? []),
    parent,
    children,
    childCount: count + beside.length + after.length,
    frameId: node.frameId,
    note: node.shadowRootType ?? node.documentURL ?? (node.pseudoType === undefined ? '' : `::${node.pseudoType}`),
  })
  return key
}

function kindOf(node: CdpNode): DomNode['kind'] {
  if (node.shadowRootType !== undefined) return 'shadow'
  if (node.pseudoType !== undefined) return 'pseudo'
  if (node.nodeType === 11) return 'template'
  return kinds[node.nodeType] ?? 'other'
}

/** Space between tags says nothing. */
export const isShown = ({ nodeType, nodeValue }: Pick<CdpNode, 'nodeType' | 'nodeValue'>) =>
  nodeType !== 3 || nodeValue.trim() !== ''

export function pairs(flat: readonly string[]): [string, string][] {
  return Array.from({ length: Math.floor(flat.length / 2) }, (_, at) => [flat[2 * at] ?? '', flat[2 * at + 1] ?? ''])
}

/** Forgets a node and all that is in it. */
export function removeNode(nodes: Nodes, key: string): void {
  const node = nodes.get(key)
  if (node === undefined) return
  nodes.delete(key)
  for (const child of node.children ?? []) removeNode(nodes, child)
}

export interface TreeRow {
  key: string
  depth: number
  expandable: boolean
  expanded: boolean
  /** The end of an element that is open. */
  closing: boolean
}

/** A short text stands in its element's own line. */
const inlineLength = 80

/** The text of an element that has nothing else; undefined when it has more. */
export function inlineText(nodes: Nodes, node: DomNode): string | undefined {
  if (node.kind !== 'element' || node.children?.length !== 1) return undefined
  const only = nodes.get(node.children[0] ?? '')
  return only?.kind === 'text' && only.value.trim().length <= inlineLength ? only.value.trim() : undefined
}

/** What is in sight of the tree, from top to bottom. */
export function visibleRows(nodes: Nodes, root: string | null, expanded: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = []
  const walk = (key: string, depth: number) => {
    const node = nodes.get(key)
    if (node === undefined) return
    const expandable =
      (node.children === null ? node.childCount > 0 : node.children.length > 0) && inlineText(nodes, node) === undefined
    const open = expandable && expanded.has(key)
    rows.push({ key, depth, expandable, expanded: open, closing: false })
    if (!open) return
    for (const child of node.children ?? []) walk(child, depth + 1)
    if (node.kind === 'element') rows.push({ key, depth, expandable: false, expanded: false, closing: true })
  }
  if (root !== null) walk(root, 0)
  return rows
}

/** The nodes from the root down to this one. */
export function pathTo(nodes: Nodes, key: string): string[] {
  const path: string[] = []
  for (let at: string | null = key; at !== null && path.length < 1000; at = nodes.get(at)?.parent ?? null)
    path.unshift(at)
  return path
}

const plainName = /^-?[A-Za-z_][\w-]*$/
const attributeOf = (node: DomNode, name: string) => node.attributes.find(([known]) => known === name)?.[1]

/** A selector that finds the node in its document: by id where there is one, by place otherwise. */
export function selectorOf(nodes: Nodes, key: string): string {
  const parts: string[] = []
  for (let node = nodes.get(key); node !== undefined && node.kind === 'element'; node = nodes.get(node.parent ?? '')) {
    const id = attributeOf(node, 'id')
    if (id !== undefined && plainName.test(id)) {
      parts.unshift(`#${id}`)
      break
    }
    parts.unshift(stepOf(nodes, node))
    if (node.name === 'body' || node.name === 'html') break
  }
  return parts.join(' > ')
}

function stepOf(nodes: Nodes, node: DomNode): string {
  const name = /^[a-z][\w-]*$/i.test(node.name) ? node.name : '*'
  const siblings = (nodes.get(node.parent ?? '')?.children ?? [])
    .map((key) => nodes.get(key))
    .filter((one) => one?.kind === 'element')
  const alike = siblings.filter((one) => one?.name === node.name)
  if (alike.length < 2) return name
  return `${name}:nth-of-type(${alike.findIndex((one) => one?.key === node.key) + 1})`
}
