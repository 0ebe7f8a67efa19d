import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../../shared/errors.ts'
import { type Display, DisplayError, startDisplay } from '../display/display.ts'
import { shareDisplay } from '../display/existing-display.ts'
import { WindowTrim } from '../display/window-trim.ts'
import { OpenPages } from '../pages/open-pages.ts'
import { fetchesNothing, firstTab, openStartPage, untilDialog } from '../pages/start-page.ts'
import { type CaredProcess, exitReason, exitText, spawnCared } from '../processes/spawn-cared.ts'
import { CdpConnection } from './cdp.ts'
import { chromiumArgs, chromiumEnv, findChromium, sandboxObstacle } from './chromium.ts'
import { usesDisplay } from './dependencies.ts'
import { type DevTools, findDevTools } from './devtools.ts'
import { Egress } from './egress/egress.ts'
import { Heartbeat, type Pulse } from './heartbeat.ts'
import { openProfile } from './profile.ts'
import { usesProxy } from './unreachable.ts'
import { fillScreen, firstDrawn, fitWindow } from './window.ts'

export interface Resolution {
  width: number
  height: number
  dpi: number
}

export interface SessionOptions extends Resolution {
  url: string
  headless: boolean
  /** Whose cookies and storage it has; null where those are not the agent's. */
  contextId: string | null
  recordingFps: number
  /** Of the screencast: a display is shown as fast as it is drawn. */
  streamFrameRate: number
  /** A display that is there already, to be used instead of one of the agent's own. */
  existingDisplay: string | undefined
  /** How often its parts are asked whether they are alive; as usual unless told. */
  pulse?: Pulse | undefined
}

/** One run of the browser, from its start to its end: the display, Chromium, the agent's connection to it. */
export interface Session {
  readonly sandboxId: string
  readonly startedAt: string
  readonly options: SessionOptions
  readonly resolution: Resolution
  readonly display: Display | null
  readonly devTools: DevTools
  readonly cdp: CdpConnection
  /** The tabs, over a connection of their own. */
  readonly pages: OpenPages
  readonly processes: readonly CaredProcess[]
  readonly warnings: readonly string[]
  readonly heartbeat: Heartbeat
  /** Settles with the reason when a part of it ends or no longer answers, which was not asked for. */
  readonly broken: Promise<string>
  /** Makes the window as large as its display is now. */
  resize(width: number, height: number): Promise<void>
  stop(): Promise<void>
}

/** Chromium has this long to answer on its debugging port. */
const chromiumReadyMs = 15_000

/** The exit of a program is noticed by itself within this. */
const exitFirstMs = 200

/** How long Chromium may take to hear that it should close, and to do it; a frozen one does neither. */
const closeAskMs = 1000
const closeMs = 2500

/** Starts everything; a start that fails, or is aborted, has torn down what it had started when it rejects. */
export async function startSession(dataDir: string, options: SessionOptions, signal: AbortSignal): Promise<Session> {
  const undo: (() => Promise<void> | void)[] = []
  const ended = new AbortController()
  const stop = async () => {
    ended.abort()
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    const program = findChromium()
    if (program === undefined) throw new Problem('install-required', 'Chromium is not installed.')
    const profile = openProfile(dataDir, options.contextId ?? 'default')
    const display = usesDisplay(options.headless) ? await openDisplay(dataDir, options, signal) : null
    if (display !== null) undo.push(() => display.stop())
    // A display that was there has its own window manager, and windows of others.
    const own = display !== null && options.existingDisplay === undefined
    const trim = own ? await WindowTrim.start(display.env, display.size) : null
    if (trim !== null) undo.push(() => trim.close())

    const egress = usesProxy(process.env) ? undefined : await Egress.start()
    if (egress !== undefined) undo.push(() => egress.close())
    const obstacle = await sandboxObstacle(program)
    signal.throwIfAborted()
    const screen = display !== null ? 'own' : options.headless ? 'headless' : 'window'
    const first = fetchesNothing(options.url) ? options.url : 'about:blank'
    const chromium = await spawnCared({
      name: 'chromium',
      program,
      args: chromiumArgs({
        ...options,
        ...display?.size,
        ...profile,
        screen,
        sandbox: obstacle === null,
        url: first,
        egressPorts: egress?.ports,
      }),
      env: chromiumEnv(profile.homeDir, display === null ? {} : { ...display.env }),
      cwd: profile.homeDir,
      dataDir,
    })
    undo.push(() => chromium.end())
    const devTools = await ready(chromium, profile.profileDir, signal)
    const cdp = await CdpConnection.connect(devTools.browserUrl)
    undo.push(() => cdp.close())
    if (screen === 'headless') await fillScreen(cdp)
    const pages = await OpenPages.open(devTools.browserUrl, path.join(profile.homeDir, 'Downloads'))
    if (egress !== undefined) pages.explain = (url, error) => egress.explain(url, error)
    undo.push(() => pages.close())
    undo.push(() => closeItself(cdp, chromium))
    const tab = await firstTab(pages, signal)
    const shown = first === options.url || tab === undefined || (await openStartPage(tab, options.url, signal))
    // One that is still on its way answers nothing.
    if (shown) await Promise.race([firstDrawn(cdp, devTools, signal), ...(tab === undefined ? [] : [untilDialog(tab)])])
    if (tab !== undefined) await pages.giveKeyboard(tab)
    signal.throwIfAborted()
    const heartbeat = new Heartbeat({ cdp, display }, ended.signal, options.pulse)
    let { width, height } = display?.size ?? options
    let fitting: Promise<unknown> = Promise.resolve()
    const cover = () => fitWindow(cdp, devTools, { width, height, dpi: options.dpi })
    if (display !== null) pages.onWindow = () => cover().catch(() => {})
    return {
      sandboxId: randomUUID(),
      startedAt: new Date().toISOString(),
      options,
      get resolution() {
        return { width, height, dpi: options.dpi }
      },
      display,
      devTools,
      cdp,
      pages,
      get processes() {
        return [...(display?.processes ?? []), chromium]
      },
      warnings: obstacle === null ? [] : [`Chromium runs without its own sandbox, because ${obstacle}.`],
      heartbeat,
      broken: Promise.race([
        exitReason(chromium),
        ...(display === null ? [] : [display.broken]),
        heartbeat.stopped,
        unheard(pages, cdp),
      ]),
      resize(newWidth, newHeight) {
        width = newWidth
        height = newHeight
        if (trim !== null) trim.size = { width, height }
        // One after the other, each with the size that is the latest by then.
        const fitted = fitting.then(cover)
        fitting = fitted.catch(() => {})
        return fitted
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw explain(error)
  }
}

/**
 * A page can end the agent's conversation with its browser, by more at once than either end takes. A browser that a
 * client or a person closes ends all of them, and only then writes its cookies down: it is left the time for that.
 */
export async function unheard(pages: OpenPages, cdp: CdpConnection): Promise<string> {
  await Promise.race([pages.closed, cdp.closed])
  // The exit of a program says more.
  await sleep(exitFirstMs, undefined, { ref: false })
  if (!cdp.open && !pages.open) await sleep(closeMs, undefined, { ref: false })
  return 'The browser broke off its conversation with the agent, as it does when a page says too much at once.'
}

function openDisplay(dataDir: string, options: SessionOptions, signal: AbortSignal): Promise<Display> {
  const needs = { ...options, dir: path.join(dataDir, 'display'), dataDir, signal }
  return options.existingDisplay === undefined ? startDisplay(needs) : shareDisplay(options.existingDisplay, needs)
}

async function ready(chromium: CaredProcess, profileDir: string, signal: AbortSignal): Promise<DevTools> {
  const late = AbortSignal.timeout(chromiumReadyMs)
  const exited = chromium.exited.then((exit) => {
    throw new Problem('start-failed', `Chromium ended (${exitText(exit)}) before it answered.\n${chromium.lastLines()}`)
  })
  exited.catch(() => {})
  try {
    return await Promise.race([findDevTools(profileDir, AbortSignal.any([late, signal])), exited])
  } catch (error) {
    if (!late.aborted || signal.aborted) throw error
    throw new Problem(
      'start-failed',
      `Chromium did not answer on its debugging port within ${chromiumReadyMs / 1000} s.\n${chromium.lastLines()}`,
    )
  }
}

/** Chromium writes its cookies down when it closes by itself, not when all of its processes are told to end at once. */
async function closeItself(cdp: CdpConnection, chromium: CaredProcess): Promise<void> {
  if (!cdp.open || !chromium.running) return
  const asked = await cdp.send('Browser.close', {}, { timeoutMs: closeAskMs }).then(
    () => true,
    () => !cdp.open,
  )
  if (asked) await Promise.race([chromium.exited, sleep(closeMs, undefined, { ref: false })])
}

function explain(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof DisplayError) return new Problem('start-failed', `The display did not start. ${error.message}`)
  return Problem.from(error, 'start-failed')
}
