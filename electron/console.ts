import {
  app,
  BrowserWindow,
  clipboard,
  dialog,
  MessageChannelMain,
  Notification,
  nativeTheme,
  powerMonitor,
  session,
  shell,
} from 'electron'
import { contractVersion } from '../shared/contract/index.ts'
import type { Settings } from '../shared/ipc.ts'
import { systemClock } from './clock.ts'
import { brokenOff } from './deploys/leaving.ts'
import { DevToolsWindows } from './devtools/windows.ts'
import { LeaseWatch } from './fleet/lease-watch.ts'
import { LocalMachine } from './fleet/local-machine.ts'
import { readStartPage } from './fleet/start-page.ts'
import { createAuditor } from './ipc/audited.ts'
import { createDispatch } from './ipc/dispatch.ts'
import { createHandlers } from './ipc/handlers.ts'
import { broadcast, tell } from './ipc/serve.ts'
import { Streams } from './ipc/streams.ts'
import type { LaunchOptions } from './launch-options.ts'
import { LocalAgent } from './local-agent/local-agent.ts'
import type { Log } from './log.ts'
import { KeptLogs } from './logs/kept-logs.ts'
import { Savings } from './logs/saving.ts'
import { shownLines } from './logs/shown-lines.ts'
import { createMachineParts } from './machine-parts.ts'
import { Notifications } from './notifications.ts'
import type { appPaths } from './paths.ts'
import { Gathered } from './pictures/gathered.ts'
import { LastPictures } from './pictures/last-pictures.ts'
import { machineOf } from './places.ts'
import { Recordings } from './recordings/recordings.ts'
import { SettingsKeeper } from './settings.ts'
import { showNotification } from './show-notification.ts'
import { clearAtNextStart } from './store/begin-anew.ts'
import type { OpenedDatabase } from './store/open.ts'
import { storeIn } from './store/store.ts'
import { SshTerminals } from './terminal/ssh-terminal.ts'
import { Prompts } from './tunnels/prompts.ts'
import { Tunnels } from './tunnels/tunnels.ts'
import { Vault } from './vault/vault.ts'
import type { Windows } from './windows.ts'

/** Longer than a window needs to ask, shorter than a person notices. */
const startAfterMs = 250

export interface ConsoleParts {
  opened: OpenedDatabase
  log: Log
  paths: ReturnType<typeof appPaths>
  launch: LaunchOptions
  developer: boolean
  onLivePicture: () => void
  onSettings: (settings: Settings) => void
  windows: Windows
}

/** Puts the console together. Loaded after the window is under way: it is the larger part of main. */
export function createConsole({
  opened,
  log,
  paths,
  launch,
  developer,
  onLivePicture,
  onSettings,
  windows,
}: ConsoleParts) {
  const store = storeIn(opened)
  const vault = new Vault()
  const settings = new SettingsKeeper(store, (changed) => {
    nativeTheme.themeSource = changed.theme
    broadcast('settings.changed', changed)
    onSettings(changed)
  })
  nativeTheme.themeSource = settings.current.theme
  const agent = new LocalAgent({
    node: paths.node,
    script: paths.agentScript,
    dataDir: paths.localAgentData,
    logFile: `${paths.logs}/local-agent.log`,
    env: process.env,
  })
  const prompts = new Prompts({
    shown: (prompt) => broadcast('prompt', prompt),
    closed: (id) => broadcast('prompt.closed', { id }),
  })
  const tunnels = new Tunnels({ localSocket: () => agent.running?.socketPath, prompts, vault, log })
  powerMonitor.on('resume', () => tunnels.resumed())
  const goTo = (place: string) => openPlace(windows, place)
  const notifications = new Notifications({
    choices: () => settings.current.notifications,
    show: (notification) => showNotification(notification, goTo),
    focusedPlace: () => windows.focusedPlace(),
    clock: systemClock,
  })
  const machines = createMachineParts({
    ...{ store, vault, tunnels, settings, paths, log, notifications },
    onRemoved: (machineId) => void lastPictures.forget(machineId),
    onGone: (machineId, reason) => streams.closeMachine(machineId, reason),
    playTone: () => {
      const window = windows.latest()
      if (window !== undefined) tell(window.webContents, 'takeover.tone', {})
    },
    onLease: (machineId, change) => {
      leaseWatch.changed(machineId, change)
      devTools.leaseChanged(machineId)
    },
  })
  const { fleet } = machines
  const startPage = () => readStartPage(paths.startPage)
  const local = new LocalMachine({ fleet, agent, vault, clock: systemClock, startPage })
  const streams = new Streams({
    client: (machineId) => fleet.client(machineId),
    leaseId: (machineId) => fleet.leases.leaseId(machineId),
    makeChannel: () => {
      const { port1, port2 } = new MessageChannelMain()
      return { here: port1, there: port2 }
    },
    onCount: (open) => broadcast('streams.open', { open }),
    onMessage: (machineId, socket, message) => {
      if (socket === 'logs') keptLogs.seen(machineId, shownLines(message))
    },
  })
  const lastPictures = new LastPictures({
    ...{ folder: paths.pictures, vault, clock: systemClock, log },
    has: (machineId) => fleet.has(machineId),
    machineIds: () => [...fleet.machines()].map(({ record }) => record.id),
  })
  const shownLast = new Gathered()
  const keptLogs = new KeptLogs(store, systemClock, log)
  const savings = new Savings(chooseFile)
  const devTools = new DevToolsWindows({
    ...{ fleet, streams, preload: paths.devToolsPreload },
    operator: () => settings.current.operator,
    leaseEnding: (machineId) => leaseWatch.isEnding(machineId),
  })
  const leaseWatch = new LeaseWatch({
    ...{ leases: fleet.leases, clock: systemClock },
    tell: (machineId, news, leftMs) => {
      devTools.leaseChanged(machineId)
      const name = fleet.has(machineId) ? fleet.view(machineId).name : ''
      const told = { machineId, name, news, leftMs }
      const window = windows.latest()
      if (news === 'settled') broadcast('lease.news', told)
      else if (window !== undefined) tell(window.webContents, 'lease.news', told)
    },
  })
  windows.onLastClosed = () => devTools.closeAll()
  windows.brokenOff = () => brokenOff(machines.deploys.rollouts.active())
  const recordings = new Recordings({ fleet, chooseFile })
  const about = {
    version: contractVersion,
    platform: process.platform,
    electron: process.versions['electron'] ?? '',
    open: launch.open,
  }
  const operator = () => settings.current.operator
  const nameOf = (id: string) => (fleet.has(id) ? fleet.machine(id).record.name : undefined)
  const audit = createAuditor({ audit: store.audit, operator, nameOf, clock: systemClock })
  const sshTerminals = new SshTerminals({
    ...{ fleet, streams, operator },
    ...{ ssh: tunnels.ssh, audit: store.audit, clock: systemClock },
  })
  const handlers = createHandlers({
    ...{ local, streams, vault, settings, tunnels, prompts, about, onLivePicture, store, windows },
    ...{ sshTerminals, keptLogs, savings, devTools, recordings, lastPictures },
    picturesGiven: () => shownLast.given(),
    picturesCleared: () => void broadcast('pictures.cleared', {}),
    forgetDevTools: (machineId) => devTools.forget(machineId),
    notificationsSupported: () => Notification.isSupported(),
    testNotification: (notification) => showNotification(notification, goTo),
    ...machines,
    clock: systemClock,
    chooseFile,
    clipboard,
    openLink: (url) => shell.openExternal(url),
    flushWindows: () => session.defaultSession.flushStorageData(),
    files: paths,
    beginAnew: async () => {
      clearAtNextStart(app.getPath('userData'))
      await session.defaultSession.clearStorageData()
      app.relaunch()
      // After the answer: the window that asked may still hear it.
      setImmediate(() => app.quit())
    },
  })
  // The window asks first for what was kept: a thousand connections must not stand in the way of that answer.
  const starting = setTimeout(() => machines.start(), startAfterMs)
  // Found out while the window loads: it is one of the first things the window asks for.
  void vault.state()

  return {
    dispatch: createDispatch({
      handlers,
      log,
      checkResults: developer && process.env['PILOTHOUSE_CHECK_RESULTS'] === '1',
      audit,
    }),
    serveRecording: (request: Request) => recordings.serve(request),
    setVisible: (visible: boolean) => fleet.setVisible(visible),
    /** In this order: what windows see, what people hold, what this console started. */
    async close(): Promise<void> {
      clearTimeout(starting)
      notifications.stop()
      leaseWatch.stop()
      devTools.closeAll()
      await shownLast.from(() => broadcast('pictures.wanted', {}))
      const picturesKept = lastPictures.close()
      streams.closeAll()
      keptLogs.flush()
      await savings.close()
      machines.deploys.stop()
      await fleet.leases.giveBackAll()
      await local.stop()
      await fleet.stop()
      machines.stop()
      tunnels.close()
      await picturesKept
      store.close()
    },
  }
}

/** Brings a window to the front that shows this, or makes one that does. */
function openPlace(windows: Windows, place: string): void {
  const machineId = machineOf(place)
  const window = windows.find((shown) => (machineId === null ? shown === place : machineOf(shown) === machineId))
  if (window === undefined) return windows.open(place)
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
  if (windows.placeOf(window) !== place) tell(window.webContents, 'window.go', { place })
}

async function chooseFile(suggested: string): Promise<string | undefined> {
  const window = BrowserWindow.getFocusedWindow() ?? BrowserWindow.getAllWindows()[0]
  const options = { defaultPath: suggested }
  const { filePath } = await (window === undefined
    ? dialog.showSaveDialog(options)
    : dialog.showSaveDialog(window, options))
  return filePath === '' ? undefined : filePath
}
