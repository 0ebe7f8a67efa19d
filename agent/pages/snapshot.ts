import { Problem } from '../../shared/errors.ts'
import type { CdpParams } from '../browser/cdp.ts'
import type { Frame } from './frames.ts'
import { callInFrame, eachFrame } from './in-frame.ts'
import { countElements } from './in-page-reading.ts'
import type { Operation } from './operation.ts'
import type { Page } from './page.ts'

interface AxNode {
  nodeId: string
  ignored: boolean
  role?: { value?: string }
  name?: { value?: string }
  value?: { value?: unknown }
  properties?: { name: string; value: { value?: unknown } }[]
  childIds?: string[]
  backendDOMNodeId?: number
}

/** A snapshot is for reading, by a person or a model: beyond this nobody does. */
const maxText = 500_000
const maxDepth = 100
/** Most levels are wrappers that say nothing; beyond so many the page is no page. */
const maxNested = 2000
/** Chromium gives the tree as a whole: that of a larger page would fill the agent's memory. */
const maxElements = 30_000
/** Roles that say nothing without a name: their children stand in their place. */
const silent = ['none', 'generic', 'presentation', 'InlineTextBox', 'LineBreak', 'StaticText', 'RootWebArea']
const stated = ['checked', 'disabled', 'expanded', 'selected', 'pressed', 'required', 'level', 'readonly', 'focused']

interface Tree {
  /** Node ids are unique within a process only, which the session stands for. */
  session: string
  root: AxNode | undefined
  byId: Map<string, AxNode>
}

/** The accessibility tree as indented text, the trees of frames under the frames. */
export async function snapshot(page: Page, operation: Operation): Promise<string> {
  const sizes = await eachFrame(page.frames.list(), operation, (frame) => callInFrame(frame, operation, countElements))
  const size = sizes.reduce((sum, { result }) => sum + result, 0)
  if (size > maxElements) {
    throw new Problem(
      'conflict',
      `The page has ${size} elements, too many for a snapshot. Read parts of it with content or scrape.`,
    )
  }
  const inside = new Map<string, Tree>()
  const trees = await eachFrame(page.frames.list(), operation, async (frame) => {
    const parent = page.frames.parentOf(frame)
    const owner = parent === undefined ? 'page' : await ownerKey(parent, frame, operation)
    return { tree: await treeOf(frame, operation), owner }
  })
  for (const { result } of trees) if (result.owner !== undefined) inside.set(result.owner, result.tree)
  const whole = inside.get('page')
  return whole === undefined ? '' : write(whole, inside)
}

async function treeOf(frame: Frame, operation: Operation): Promise<Tree> {
  const answer = await frame.cdp.send('Accessibility.getFullAXTree', { frameId: frame.id }, operation.leftMs())
  const nodes = answer['nodes'] as AxNode[]
  return { session: frame.cdp.id, root: nodes[0], byId: new Map(nodes.map((node) => [node.nodeId, node])) }
}

/** The node of the frame's own element, in the tree of the document around it. */
async function ownerKey(parent: Frame, frame: Frame, operation: Operation): Promise<string | undefined> {
  const none = {} as CdpParams
  const { backendNodeId } = await parent.cdp
    .send('DOM.getFrameOwner', { frameId: frame.id }, operation.leftMs())
    .catch(() => none)
  return backendNodeId === undefined ? undefined : `${parent.cdp.id} ${backendNodeId}`
}

function write(tree: Tree, inside: Map<string, Tree>): string {
  const lines: string[] = []
  let size = 0
  let left = 0
  const line = (depth: number, text: string) => {
    if (size > maxText) {
      left++
      return
    }
    const indented = `${'  '.repeat(depth)}- ${text}`
    size += indented.length + 1
    lines.push(indented)
  }
  const walk = (node: AxNode, within: Tree, depth: number, nested: number): void => {
    if (nested > maxNested) return
    const role = node.role?.value ?? ''
    const name = (node.name?.value ?? '').trim()
    if (role === 'InlineTextBox') return
    const isText = role === 'StaticText' && name !== ''
    const shown = !node.ignored && (isText || !silent.includes(role))
    if (isText && !node.ignored) line(depth, `text: ${short(name)}`)
    else if (shown) line(depth, `${role}${name === '' ? '' : ` "${short(name)}"`}${facts(node)}`)
    const next = Math.min(shown ? depth + 1 : depth, maxDepth)
    for (const id of node.childIds ?? []) {
      const child = within.byId.get(id)
      // The text of a heading or a link is its name: said once is enough.
      if (child === undefined || (child.role?.value === 'StaticText' && shown && child.name?.value?.trim() === name))
        continue
      walk(child, within, next, nested + 1)
    }
    const framed = inside.get(`${within.session} ${node.backendDOMNodeId}`)
    if (framed?.root !== undefined) walk(framed.root, framed, next, nested + 1)
  }
  if (tree.root !== undefined) walk(tree.root, tree, 0, 0)
  if (left > 0) lines.push(`… ${left} more`)
  return lines.join('\n')
}

function facts(node: AxNode): string {
  const value = node.value?.value
  const shownValue = value === undefined || value === '' ? '' : ` value="${short(String(value))}"`
  const states = (node.properties ?? [])
    .filter(({ name, value: { value: state } }) => stated.includes(name) && state !== false && state !== 'false')
    .map(({ name, value: { value: state } }) =>
      state === true || state === 'true' ? ` [${name}]` : ` [${name}=${state}]`,
    )
  return shownValue + states.join('')
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').replace(/"/g, "'")
  return line.length > 300 ? `${line.slice(0, 300)}…` : line
}
