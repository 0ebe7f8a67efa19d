import type { InspectorSession } from '../session.ts'

const colour = (r: number, g: number, b: number, a: number) => ({ r, g, b, a })
/** As browsers' own tools mark an element: its content, and what is around it. */
const highlightConfig = {
  showInfo: true,
  contentColor: colour(91, 157, 255, 0.55),
  paddingColor: colour(62, 207, 142, 0.5),
  borderColor: colour(245, 200, 76, 0.6),
  marginColor: colour(255, 148, 87, 0.5),
}

/** Marks nodes on the live page. The browser paints it over the page: nothing in the page changes. */
export class Marking {
  readonly #session: InspectorSession
  readonly #enabled = new Set<string | undefined>()
  readonly #stop: () => void
  #shown: { sessionId: string | undefined } | null = null
  #turn = 0

  constructor(session: InspectorSession) {
    this.#session = session
    this.#stop = session.onReset(() => {
      this.#enabled.clear()
      this.#shown = null
    })
  }

  /** Only the last wish counts: the mouse is quicker than the way to the machine. */
  async show(node: { backendNodeId: number | null; sessionId: string | undefined } | null): Promise<void> {
    const turn = ++this.#turn
    const before = this.#shown
    try {
      if (node === null || node.backendNodeId === null) {
        this.#shown = null
        if (before !== null) await this.#session.send('Overlay.hideHighlight', {}, before.sessionId)
        return
      }
      const { sessionId, backendNodeId } = node
      if (!this.#enabled.has(sessionId)) {
        await this.#session.send('DOM.enable', {}, sessionId)
        await this.#session.send('Overlay.enable', {}, sessionId)
        this.#enabled.add(sessionId)
      }
      if (turn !== this.#turn) return
      if (before !== null && before.sessionId !== sessionId)
        await this.#session.send('Overlay.hideHighlight', {}, before.sessionId)
      this.#shown = { sessionId }
      await this.#session.send('Overlay.highlightNode', { backendNodeId, highlightConfig }, sessionId)
    } catch {
      // The node is gone, or the connection: there is nothing to mark any more.
    }
  }

  dispose(): void {
    void this.show(null)
    this.#stop()
  }
}
