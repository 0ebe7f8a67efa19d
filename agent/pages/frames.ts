import type { CdpParams, CdpSession } from '../browser/cdp.ts'

/** One frame of a page, and the conversation through which it is reached: its process may be another than its page's. */
export interface Frame {
  readonly id: string
  readonly parentId: string | null
  readonly cdp: CdpSession
}

interface FrameInfo {
  id: string
  parentId?: string
  loaderId: string
  url: string
}
interface FrameTreeNode {
  frame: FrameInfo
  childFrames?: FrameTreeNode[]
}

/** The frames of one page, over all the processes that they live in. */
export class Frames {
  readonly #frames = new Map<string, Frame>()
  #mainSession: CdpSession | undefined

  /** Follows the frames that one session tells of; `parentId` is that of its root, for a frame in another process. */
  async follow(cdp: CdpSession, root?: { id: string; parentId: string | null }): Promise<() => void> {
    if (root === undefined) this.#mainSession = cdp
    else this.#set(root.id, root.parentId ?? this.#frames.get(root.id)?.parentId ?? this.main?.id ?? null, cdp)
    const stops = [
      cdp.on('Page.frameAttached', (params) =>
        this.#set(String(params['frameId']), String(params['parentFrameId']), cdp),
      ),
      cdp.on('Page.frameNavigated', (params) => this.#navigated(params['frame'] as FrameInfo, cdp)),
      cdp.on('Page.frameDetached', (params) => this.#detached(params)),
    ]
    const tree = await cdp.send('Page.getFrameTree').catch(() => ({}) as CdpParams)
    if (tree['frameTree'] !== undefined) this.#read(tree['frameTree'] as FrameTreeNode, cdp)
    return () => {
      for (const stop of stops) stop()
    }
  }

  /** The frames, each before its children, the page itself first. */
  list(): Frame[] {
    const children = new Map<string | null, Frame[]>()
    for (const frame of this.#frames.values()) {
      const parentId = frame.parentId !== null && this.#frames.has(frame.parentId) ? frame.parentId : null
      children.set(parentId, [...(children.get(parentId) ?? []), frame])
    }
    const ordered: Frame[] = []
    const walk = (frame: Frame) => {
      ordered.push(frame)
      for (const child of children.get(frame.id) ?? []) walk(child)
    }
    for (const root of children.get(null) ?? []) walk(root)
    return ordered
  }

  get main(): Frame | undefined {
    return this.list()[0]
  }

  parentOf(frame: Frame): Frame | undefined {
    return frame.parentId === null ? undefined : this.#frames.get(frame.parentId)
  }

  /** The process behind a conversation crashed: its frames show nothing until they are loaded again. */
  crashed(cdp: CdpSession): void {
    for (const frame of this.#frames.values()) if (frame.cdp === cdp) this.#frames.delete(frame.id)
  }

  #read(node: FrameTreeNode, cdp: CdpSession): void {
    this.#navigated(node.frame, cdp)
    for (const child of node.childFrames ?? []) this.#read(child, cdp)
  }

  #navigated(info: FrameInfo, cdp: CdpSession): void {
    const known = this.#frames.get(info.id)
    const parentId = info.parentId ?? known?.parentId ?? null
    // Another document in the tab: whatever frames the last one had are gone.
    if (parentId === null && cdp === this.#mainSession) this.#frames.clear()
    this.#set(info.id, parentId, cdp)
  }

  /** A frame that is swapped lives on, in another process. */
  #detached(params: CdpParams): void {
    if (params['reason'] === 'swap') return
    const gone = new Set([String(params['frameId'])])
    for (const frame of this.list()) if (frame.parentId !== null && gone.has(frame.parentId)) gone.add(frame.id)
    for (const id of gone) this.#frames.delete(id)
  }

  #set(id: string, parentId: string | null, cdp: CdpSession): void {
    this.#frames.set(id, { id, parentId, cdp })
  }
}
