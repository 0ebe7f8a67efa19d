import { backoff } from '../../../shared/client/backoff.ts'
import type { SocketReceive, SocketSend } from '../../../shared/contract/index.ts'
import type { PortStream } from '../../../shared/stream.ts'
import { useApp } from '../../app/app.store.ts'
import { CallFailed, call, problemOf } from '../../app/bridge.ts'
import { openStream, portOf, streamOver } from '../../app/streams.ts'
import { shownTitle } from './guards.ts'
import { type FoundShell, keepShell } from './kept-shells.ts'
import { cleanPaste, pastedLines } from './paste.ts'
import { TerminalScreen } from './screen.ts'
import { changeTerminal, type TerminalKind, type TerminalPhase, useTerminals } from './terminals.store.ts'

/** The agent waits for these; it asks for one every 128 KiB at least. */
const ackEveryBytes = 64 * 1024
/** As long as the agent keeps a shell whose client was cut off. */
const keptMs = 60_000
/** A frame to the machine; a paste may be larger. */
const frameBytes = 64 * 1024
/** What main copies at once. */
const maxCopied = 1024 * 1024

/** One shell and its picture. It goes on while the person is elsewhere in the console. */
export class TerminalSession {
  readonly id: string
  readonly machineId: string
  readonly kind: TerminalKind
  readonly screen: TerminalScreen
  #stream: PortStream | undefined
  #shellId: string | undefined
  /** Bytes of the shell's output that were taken in, counted from its beginning. */
  #received = 0
  #unacknowledged = 0
  #waiting: Uint8Array[] = []
  /** Set while a picture is drawn again: what this one was asked then was answered long ago, and is no more typed. */
  #again: { until: number; over: () => void } | undefined
  /** What comes first was on a screen already: that of another window, or this one before it was cleared. */
  #shownBefore: boolean
  #over = false
  #forget: (() => void) | undefined

  /** With `found` it is the picture of a shell that is there already, if it still is. */
  constructor(id: string, machineId: string, kind: TerminalKind, found?: FoundShell) {
    this.id = id
    this.machineId = machineId
    this.kind = kind
    this.#shellId = found?.shellId
    this.#shownBefore = found !== undefined
    this.#forget = found?.forget
    this.screen = new TerminalScreen({
      screenReader: useApp.getState().info?.settings.screenReader ?? false,
      onInput: (bytes) => this.#input(bytes),
      onResize: (cols, rows) => this.#say({ type: 'resize', cols, rows }),
      onTitle: (title) => changeTerminal(id, { title: shownTitle(title) }),
      onLink: (url, shown) => useTerminals.setState({ link: { url, shown } }),
      onHover: (hovered) => changeTerminal(id, { hovered }),
      onRenderer: (renderer) => changeTerminal(id, { renderer }),
    })
    this.#clipboard()
  }

  /** The shell that another window may find again. */
  get keptShell(): string | undefined {
    return this.#forget === undefined ? undefined : this.#shellId
  }

  /** Opens the shell. False if one that was to be found again is gone: started once more, it opens a new one. */
  async start(): Promise<boolean> {
    this.#become({ phase: 'connecting', since: Date.now() })
    const found = this.#shellId
    try {
      this.#connect(await this.#open(found === undefined ? {} : { id: found, received: 0 }))
    } catch (error) {
      this.#shellId = undefined
      this.#letGo()
      if (found !== undefined && problemOf(error).code === 'not-found') return false
      this.#become({ phase: 'failed', problem: problemOf(error) })
    }
    return true
  }

  /** Takes the shell back from whoever attached to it. */
  async takeBack(): Promise<void> {
    this.#shownBefore = true
    await this.#reattach()
  }

  focus(): void {
    this.screen.terminal.focus()
  }

  paste(text: string): void {
    this.screen.terminal.paste(cleanPaste(text))
    this.focus()
  }

  /** Ends the shell and what runs in it. */
  close(): void {
    this.#over = true
    this.#letGo()
    this.#say({ type: 'close' })
    const stream = this.#stream
    // The agent closes when the shell has ended; whatever happens there, this end goes.
    setTimeout(() => stream?.close(), 250)
    this.screen.dispose()
  }

  async #open(again: { id?: string; received?: number }): Promise<PortStream> {
    const { cols, rows } = this.screen.terminal
    if (this.kind === 'agent') return openStream(this.machineId, 'terminal', { cols, rows, ...again })
    const { streamId } = await call('terminal.openSsh', { machineId: this.machineId, cols, rows })
    return streamOver(await portOf(streamId))
  }

  #connect(stream: PortStream): void {
    if (this.#over) return stream.close()
    this.#stream = stream
    this.#unacknowledged = 0
    this.#waiting = []
    this.#again = undefined
    stream.onBytes = (bytes) => this.#output(stream, bytes)
    stream.onText = (text) => this.#told(stream, JSON.parse(text) as SocketReceive<'terminal'>)
    stream.onDrain = () => this.#sendWaiting()
    stream.onClose = () => this.#lost(stream)
  }

  /** Not acknowledged before xterm took it in: a machine that floods waits, all the way back to its program. */
  async #output(stream: PortStream, bytes: Uint8Array): Promise<void> {
    this.#received += bytes.byteLength
    const received = this.#received
    await this.screen.write(bytes)
    if (this.#stream !== stream) return
    if (this.#again !== undefined && received >= this.#again.until) this.#again.over()
    this.#unacknowledged += bytes.byteLength
    if (this.#unacknowledged < ackEveryBytes) return
    this.#say({ type: 'ack', bytes: this.#unacknowledged })
    this.#unacknowledged = 0
  }

  #told(stream: PortStream, message: SocketReceive<'terminal'>): void {
    switch (message.type) {
      case 'ready': {
        // What is sent is not where this end stopped: the picture is drawn anew from what is kept.
        if (message.reattached && message.position !== this.#received) {
          this.screen.terminal.reset()
          this.#shownBefore = true
        }
        this.#received = message.position
        this.#shellId = message.id
        this.#forget ??= this.kind === 'agent' ? keepShell(this.machineId, message.id) : undefined
        const { cols, rows } = this.screen.terminal
        this.#say({ type: 'resize', cols, rows })
        const open = () => {
          this.#again = undefined
          this.#shownBefore = false
          this.#become({ phase: 'open', recorded: message.recorded })
        }
        const until = message.reattached && this.#shownBefore ? (message.end ?? 0) : 0
        if (until > message.position) this.#again = { until, over: open }
        else open()
        return
      }
      case 'taken_over':
        this.#stream = undefined
        this.#become({ phase: 'taken', operator: message.operator })
        return stream.close()
      case 'exit':
        this.#stream = undefined
        this.#become({ phase: 'ended', text: describeExit(message) })
        return
      case 'error':
        this.#stream = undefined
        this.#become({ phase: 'ended', text: message.message })
        return stream.close()
    }
  }

  #lost(stream: PortStream): void {
    if (this.#stream !== stream || this.#over) return
    this.#stream = undefined
    if (this.kind === 'ssh') {
      this.#become({ phase: 'ended', text: 'The SSH connection was lost, and the shell with it.' })
    } else if (this.#shellId === undefined) {
      this.#become({ phase: 'ended', text: 'The connection was lost before the shell was there.' })
    } else void this.#reattach()
  }

  async #reattach(): Promise<void> {
    const since = Date.now()
    const until = since + keptMs
    this.#become({ phase: 'reattaching', since, until })
    const wait = backoff({ firstMs: 250, maxMs: 3000 })
    while (!this.#over && this.#shellId !== undefined) {
      try {
        return this.#connect(await this.#open({ id: this.#shellId, received: this.#received }))
      } catch (error) {
        const gone = error instanceof CallFailed && error.problem.code === 'not-found'
        if (gone) return this.#become({ phase: 'ended', text: 'The shell ended while the line was cut.' })
        if (Date.now() > until) {
          const detail = `The machine could not be reached for ${keptMs / 1000} s, and ends its shells then. ${problemOf(error).detail}`
          return this.#become({
            phase: 'failed',
            problem: { ...problemOf(error), title: 'The shell was lost', detail },
          })
        }
      }
      await new Promise((resolve) => setTimeout(resolve, wait.next()))
    }
  }

  #become(state: TerminalPhase): void {
    if (this.#over) return
    if (state.phase === 'ended' || state.phase === 'failed' || state.phase === 'taken') this.#letGo()
    this.screen.terminal.options.disableStdin = state.phase !== 'open'
    changeTerminal(this.id, { state })
  }

  /** The shell is no longer this window's to find again. */
  #letGo(): void {
    this.#forget?.()
    this.#forget = undefined
  }

  #say(message: SocketSend<'terminal'>): void {
    this.#stream?.sendText(JSON.stringify(message))
  }

  #input(bytes: Uint8Array): void {
    if (this.#stream === undefined || this.#again !== undefined) return
    for (let from = 0; from < bytes.byteLength; from += frameBytes) {
      this.#waiting.push(bytes.slice(from, from + frameBytes))
    }
    this.#sendWaiting()
  }

  #sendWaiting(): void {
    const stream = this.#stream
    while (stream?.writable === true) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      stream.sendBytes(next)
    }
  }

  /** Copying and pasting go through the person's hands: a machine can do neither. */
  #clipboard(): void {
    const { element, terminal } = this.screen
    const copy = () => {
      const text = terminal.getSelection()
      if (text !== '') void call('app.copyText', { text: text.slice(0, maxCopied) })
    }
    element.addEventListener('mousedown', () => {
      // Wherever the button is let go: who selects to the end of a line lets go beside the terminal.
      const selected = () => useApp.getState().info?.settings.copyOnSelect === true && copy()
      window.addEventListener('mouseup', selected, { once: true })
    })
    terminal.attachCustomKeyEventHandler((event) => {
      if (!event.ctrlKey || !event.shiftKey || event.altKey) return true
      if (event.type === 'keydown' && event.code === 'KeyC') {
        event.preventDefault()
        copy()
      }
      // Ctrl+Shift+V is the page's own paste, which comes as an event below.
      return event.code !== 'KeyC' && event.code !== 'KeyV'
    })
    element.addEventListener(
      'paste',
      (event) => {
        event.preventDefault()
        event.stopPropagation()
        const text = event.clipboardData?.getData('text/plain') ?? ''
        if (text === '' || this.#stream === undefined) return
        if (!terminal.modes.bracketedPasteMode && pastedLines(text) > 1) {
          useTerminals.setState({ paste: { terminalId: this.id, text } })
        } else this.paste(text)
      },
      { capture: true },
    )
  }
}

function describeExit({ exitCode, signal }: { exitCode: number | null; signal: string | null }): string {
  if (signal !== null) return `The shell was ended by ${signal}.`
  return exitCode === 0 ? 'The shell has ended.' : `The shell has ended with code ${exitCode ?? 'unknown'}.`
}
