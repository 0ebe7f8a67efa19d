import { randomUUID } from 'node:crypto'
import os from 'node:os'
import { isRaw } from '../../shared/contract/define.ts'
import { type CallName, type CallResult, callsByName } from '../../shared/contract/index.ts'
import { Problem } from '../../shared/errors.ts'
import type { AppInfo } from '../../shared/ipc.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { type LocalMachine, localMachineId } from '../fleet/local-machine.ts'
import type { SettingsKeeper } from '../settings.ts'
import { setAsideKey } from '../store/settings.ts'
import type { Prompts } from '../tunnels/prompts.ts'
import type { Tunnels } from '../tunnels/tunnels.ts'
import type { Vault } from '../vault/vault.ts'
import { type AuditHandlerDeps, auditHandlers } from './audit-handlers.ts'
import { type DeployHandlerDeps, deployHandlers } from './deploy-handlers.ts'
import type { IpcHandlers } from './dispatch.ts'
import { type InspectorHandlerDeps, inspectorHandlers } from './inspector-handlers.ts'
import { type LogsHandlerDeps, logsHandlers } from './logs-handlers.ts'
import { type MachineHandlerDeps, machineHandlers } from './machine-handlers.ts'
import { type PictureHandlerDeps, pictureHandlers } from './picture-handlers.ts'
import { type PowerHandlerDeps, powerHandlers } from './power-handlers.ts'
import { type SettingsHandlerDeps, settingsHandlers } from './settings-handlers.ts'
import type { Streams } from './streams.ts'
import { type TakeoverHandlerDeps, takeoverHandlers } from './takeover-handlers.ts'
import { type TerminalHandlerDeps, terminalHandlers } from './terminal-handlers.ts'
import { tunnelHandlers } from './tunnel-handlers.ts'
import { UnderWay } from './under-way.ts'
import { type WindowHandlerDeps, windowHandlers } from './window-handlers.ts'
import { answerWithLease, callWithLease } from './with-lease.ts'

export interface HandlerDeps
  extends Omit<PowerHandlerDeps, 'personActs' | 'operator' | 'diagnostics'>,
    Omit<TerminalHandlerDeps, 'personActs'>,
    Omit<LogsHandlerDeps, 'fleet'>,
    Pick<DeployHandlerDeps, 'deploys'>,
    AuditHandlerDeps,
    Omit<InspectorHandlerDeps, 'fleet'>,
    Pick<MachineHandlerDeps, 'answers' | 'workers' | 'rotation'>,
    Pick<TakeoverHandlerDeps, 'ownTakeovers'>,
    Pick<SettingsHandlerDeps, 'files' | 'beginAnew' | 'ec2' | 'awsKeys' | 'lastPictures' | 'picturesCleared'>,
    PictureHandlerDeps,
    WindowHandlerDeps {
  fleet: Fleet
  local: LocalMachine
  streams: Streams
  vault: Vault
  /** Keeps what a machine answered, where that is kept. */
  answered: (machineId: string, name: CallName, params: Record<string, unknown>, answer: unknown) => void
  settings: SettingsKeeper
  tunnels: Tunnels
  prompts: Prompts
  about: Pick<AppInfo, 'version' | 'platform' | 'electron' | 'open'>
  clipboard: { readText: () => string | Promise<string>; writeText: (text: string) => void | Promise<void> }
  onLivePicture: (machineId: string) => void
  forgetDevTools: (machineId: string) => void
}

/** What each call of shared/ipc.ts does. */
export function createHandlers(deps: HandlerDeps): IpcHandlers {
  const { fleet, local, streams, vault, settings, tunnels } = deps
  let { about } = deps
  const adding = new UnderWay()
  return {
    ...tunnelHandlers(tunnels, deps.prompts),
    ...takeoverHandlers(deps),
    ...auditHandlers(deps),
    ...windowHandlers(deps),
    ...pictureHandlers(deps),
    ...powerHandlers({
      ...deps,
      operator: () => settings.current.operator,
      personActs: () => tunnels.personActs(),
      diagnostics: { streams, versions: versionsOf(deps.about) },
    }),
    ...terminalHandlers({ ...deps, personActs: () => tunnels.personActs() }),
    ...logsHandlers(deps),
    ...inspectorHandlers(deps),
    ...deployHandlers({ ...deps, operator: () => settings.current.operator }),
    ...machineHandlers({ ...deps, operator: () => settings.current.operator }),
    ...settingsHandlers({ ...deps, version: deps.about.version }),
    'app.info': async () => {
      const { open } = about
      // Where to go is said to the first window alone: a second one was opened to show something else.
      about = { ...about, open: 'home' }
      const keychain = await vault.stateSoon()
      const file = deps.store.settings.get(setAsideKey)
      const setAside = typeof file === 'string' ? { file, inThisRun: deps.store.setAside === file } : null
      return { ...about, open, keychain, settings: settings.current, openStreams: streams.count, setAside }
    },
    'app.copyText': async ({ text }) => {
      await deps.clipboard.writeText(text)
      return {}
    },
    'app.livePictureShown': ({ machineId }) => {
      deps.onLivePicture(fleet.view(machineId).id)
      return {}
    },
    'settings.set': (changes) => settings.change(changes),

    'fleet.list': () => fleet.list(),
    'fleet.verify': async ({ machineId }) => {
      tunnels.personActs()
      await deps.rotation.settle(machineId)
      return fleet.verify(machineId)
    },
    'fleet.tryLocal': async () => ({ machineId: await local.tryIt() }),
    'fleet.add': ({ addId = randomUUID(), ...wish }, caller) => {
      tunnels.personActs()
      return adding.run(addId, caller, (signal) => fleet.add(wish, randomUUID(), signal))
    },
    'fleet.addCancel': ({ addId }) => {
      adding.cancel(addId)
      return {}
    },
    'fleet.remove': async ({ machineId }) => {
      if (machineId === localMachineId && fleet.has(machineId)) await local.stop()
      await fleet.remove(machineId)
      streams.forget(machineId)
      deps.forgetDevTools(machineId)
      deps.keptLogs.forget(machineId)
      return {}
    },
    'fleet.wake': async ({ machineId }) => {
      tunnels.personActs()
      if (machineId !== localMachineId) return fleet.wake(machineId)
      return fleet.view(await local.tryIt())
    },
    'fleet.setSecret': ({ machineId, secret }) => fleet.setSecret(machineId, secret),

    'agent.call': async ({ machineId, call, params }) => {
      const name = callFor(call)
      const leaseId = fleet.leases.leaseId(machineId)
      const given = callWithLease(callsByName[name], params, leaseId)
      // Starting a browser, or a picture of a whole page, may take longer than an ordinary answer.
      const result = await fleet.call(machineId, name, given as never, { timeoutMs: isSlow(name) ? 120_000 : 30_000 })
      // One line alone is asked for to learn where a log ends; those before it are shown later, and kept then.
      if (name === 'logs.get' && params['lines'] !== 1) {
        deps.keptLogs.seen(machineId, (result as CallResult<'logs.get'>).lines)
      }
      deps.answered(machineId, name, params, result)
      return answerWithLease(name, result, leaseId)
    },

    'stream.open': async ({ machineId, socket, params }, caller) => ({
      streamId: await streams.open(machineId, socket, params, caller),
    }),
  }
}

/** Only what the contract lets a window do: a call whose answer would carry a secret or a lease is not there. */
function callFor(name: string): CallName {
  if (Object.hasOwn(callsByName, name) && callsByName[name as CallName].windows) return name as CallName
  throw new Problem('unknown-route', 'There is no such call for a window.')
}

function isSlow(name: CallName): boolean {
  const call = callsByName[name]
  return call.method !== 'GET' || isRaw(call.result)
}

function versionsOf({ version, electron, platform }: HandlerDeps['about']): Record<string, string> {
  return {
    Pilothouse: version,
    Electron: electron,
    Chromium: process.versions['chrome'] ?? '',
    Node: process.versions.node,
    System: `${platform} ${os.release()} ${process.arch}`,
  }
}
