import type { Duplex } from 'node:stream'
import { ControllerLink } from '../cdp/controller-link.ts'
import { FrameReader, messageText, opcode, textFrame } from '../cdp/frames.ts'
import { type Command, errorReply, readCommand, writeCommand } from '../cdp/methods.ts'
import type { Upstream } from '../cdp/upstream.ts'
import { withinBounds } from './bounds.ts'

/** How much an engine may do at the moment. */
export type Freedom =
  | { kind: 'free' }
  /** It connects and looks, and does nothing: a person still has control. */
  | { kind: 'looking' }
  | { kind: 'held'; operator: string }

export interface EngineLinkHooks {
  freedom: () => Freedom
  onRefused: (method: string) => void
  onClosed: () => void
  onGoing: () => void
  /** The only folder that files are uploaded to pages from. */
  uploadDir: string
}

/** No engine ends the browser: it was not started for it alone. */
const never = new Set(['Browser.close', 'Browser.crash', 'Browser.crashGpuProcess', 'Page.crash'])
const acting =
  /^(Input\.|Page\.(navigate|reload|close|navigateToHistoryEntry|handleJavaScriptDialog)|Target\.(closeTarget|createTarget)|DOM\.setFileInputFiles)/
/**
 * Answered and not passed on. With the first every tab would think that it has the focus, and nobody could tell any
 * more which one is in front, neither the agent nor the page; the second would send the downloads of everyone into a
 * folder of the engine's.
 */
const swallowed = new Set([
  'Emulation.setFocusEmulationEnabled',
  'Browser.setDownloadBehavior',
  'Page.setDownloadBehavior',
])
const maxCommandBytes = 100 * 1024 * 1024

/** An engine's connection. The same filter as for every controller, and before it what holds for engines alone. */
export class EngineLink extends ControllerLink {
  readonly #engineHooks: EngineLinkHooks
  readonly #commands = new FrameReader({ masked: true, maxMessageBytes: maxCommandBytes })
  /** How often it acted on the page so far. */
  acted = 0

  constructor(client: Duplex, upstream: Upstream, hooks: EngineLinkHooks) {
    super(client, upstream, {
      onClosed: hooks.onClosed,
      onGoing: hooks.onGoing,
      onRefused: () => hooks.onRefused('a writing method'),
      operator: () => {
        const freedom = hooks.freedom()
        return freedom.kind === 'held' ? freedom.operator : null
      },
    })
    this.#engineHooks = hooks
  }

  protected override fromClient(chunk: Buffer): void {
    const { bytes, messages } = this.#commands.push(chunk)
    const freedom = this.#engineHooks.freedom()
    for (const message of messages) {
      const whole = bytes.subarray(message.start, message.end)
      const command = message.opcode === opcode.text ? readCommand(messageText(bytes, message, true)) : undefined
      if (command !== undefined && swallowed.has(command.method)) {
        const { id, sessionId } = command
        this.tell(JSON.stringify({ id, result: {}, ...(sessionId === undefined ? {} : { sessionId }) }))
        continue
      }
      if (command === undefined) {
        super.fromClient(whole)
        continue
      }
      const verdict = this.#judge(command, freedom)
      if ('refuse' in verdict) {
        this.#engineHooks.onRefused(command.method)
        this.tell(errorReply(command, verdict.refuse))
        continue
      }
      if (freedom.kind === 'free' && acting.test(command.method)) this.acted++
      // Where it was looked into it goes on as it was understood.
      super.fromClient(verdict.pass === undefined ? whole : textFrame(writeCommand(verdict.pass), true))
    }
  }

  /** Why it is refused, or what goes on in its place. */
  #judge(command: Command, freedom: Freedom): { refuse: string } | { pass: Command | undefined } {
    const { method } = command
    if (never.has(method)) return { refuse: `${method} is not for engines: the browser outlives them.` }
    if (freedom.kind === 'looking' && acting.test(method)) return { refuse: `${method}: a person still has control.` }
    // That a person has control is what it is told then.
    if (freedom.kind === 'held') return { pass: undefined }
    try {
      return { pass: withinBounds(command, this.#engineHooks.uploadDir) }
    } catch (error) {
      return { refuse: `${method} is not for engines like this: ${(error as Error).message}` }
    }
  }
}
