import { type CallName, callsByName, type SocketName, socketsByName } from '../../shared/contract/index.ts'
import { Problem } from '../../shared/errors.ts'
import type { IpcName } from '../../shared/ipc.ts'
import { type Clock, isoTime } from '../clock.ts'
import type { Store } from '../store/store.ts'

type Params = Record<string, unknown>
interface Recorded {
  action: string
  /** Chosen key by key: what is not named here, a secret above all, never reaches the record. */
  details: Params
}

const pick = (params: Params, ...keys: string[]): Params =>
  Object.fromEntries(keys.filter((key) => params[key] !== undefined).map((key) => [key, params[key]]))

const as =
  (action: string, ...keys: string[]) =>
  (params: Params): Recorded => ({ action, details: pick(params, ...keys) })

/** Every call of a window that changes something, and how it is written down. */
const recorded: Partial<Record<IpcName, (params: Params) => Recorded | undefined>> = {
  'settings.set': as(
    'settings',
    'theme',
    'operator',
    'leaseMinutes',
    'takeoverSound',
    'copyOnSelect',
    'screenReader',
    'notifications',
    'shortcuts',
  ),
  'credentials.remove': as('remove_credential', 'kind', 'id'),
  'data.export': as('export_data'),
  'data.clear': as('clear_data', 'parts'),
  'data.clearAll': as('clear_data'),
  'prices.set': as('settings', 'asOf'),
  'fleet.tryLocal': as('start'),
  'fleet.add': as('add_machine', 'name', 'environment', 'machineType', 'tunnel', 'provider'),
  'fleet.update': as('update_machine', 'name', 'environment', 'machineType', 'tunnel', 'provider'),
  'fleet.remove': as('remove_machine'),
  'fleet.wake': as('wake'),
  'fleet.setSecret': as('rotate_secret'),
  'power.start': as('start'),
  'power.stop': as('stop'),
  'power.reboot': as('reboot'),
  'power.terminate': as('terminate'),
  'fleet.rotateSecret': as('rotate_secret'),
  'autostop.set': as('auto_stop', 'enabled', 'idleMinutes'),
  'autostop.keep': as('keep_up'),
  'aws.setKeys': as('set_aws_keys', 'name'),
  'aws.removeKeys': as('remove_aws_keys', 'name'),
  'enroll.start': as('enroll', 'name', 'environment', 'machineType', 'ssh'),
  'enroll.undo': as('enroll_undo'),
  'enroll.discard': as('enroll_undo', 'enrollId'),
  'enroll.upgrade': as('upgrade_agent', 'downgrade'),
  'audit.export': as('export_audit', 'format'),
  'audit.exportMerged': as('export_audit', 'format', 'filter'),
  'takeover.take': as('takeover', 'reason'),
  'takeover.accept': as('takeover', 'requestId'),
  'takeover.giveBack': as('hand_back', 'outcome', 'note', 'handBackTo', 'mode'),
  'live.paste': as('act'),
  'live.copy': as('read_clipboard'),
  'live.saveScreenshot': as('screenshot', 'of'),
  'deploys.start': as('deploy', 'tag', 'machineIds', 'maxUnavailable', 'onFailure', 'force'),
  'deploys.pause': as('deploy_pause', 'rolloutId'),
  'deploys.resume': as('deploy_resume', 'rolloutId'),
  'deploys.cancel': as('deploy_cancel', 'rolloutId'),
  'deploys.retry': as('deploy_retry', 'rolloutId', 'machineIds', 'force'),
  'deploys.rollBack': as('rollback', 'rolloutId', 'machineIds'),
  'deploys.rollBackMachine': as('rollback', 'force'),
  'registry.set': as('auto_deploy', 'environment', 'config'),
  'registry.setLogin': as('set_registry_login', 'environment', 'username'),
  'registry.removeLogin': as('remove_registry_login', 'environment'),
  'registry.dismiss': as('dismiss_tag', 'environment', 'tag', 'digest'),
  'prompt.answer': as('answer_prompt', 'action'),
  'terminal.openSsh': as('ssh_terminal_open'),
  // The rest of an address may carry a token.
  'app.openLink': ({ url }) => ({ action: 'open_link', details: { host: new URL(String(url)).host } }),
  'devtools.open': as('cdp_attach', 'targetId'),
  'capture.save': as('capture', 'kind'),
  'recording.play': as('recording_play', 'recordingId'),
  'recording.save': as('recording_download', 'recordingId'),
  'logs.saveBegin': as('download_logs', 'name', 'machineIds'),
  'agent.call': (params) => {
    const call = callsByName[params['call'] as CallName]
    return call?.audit === undefined ? undefined : { action: call.audit, details: ofMachine(params, 'call') }
  },
  'stream.open': (params) => {
    const socket = socketsByName[params['socket'] as SocketName]
    return socket?.audit === undefined ? undefined : { action: socket.audit, details: ofMachine(params, 'socket') }
  },
}

/** The values stand in the machine's own audit, which knows which of them are secret; here only what was given. */
function ofMachine(params: Params, kind: 'call' | 'socket'): Params {
  const given = (params['params'] ?? {}) as Params
  const id = given['id'] ?? given['workerId']
  return { [kind]: params[kind], given: Object.keys(given), ...(typeof id === 'string' ? { id } : {}) }
}

export interface AuditedDeps {
  audit: Pick<Store['audit'], 'begin' | 'finish'>
  operator: () => string
  /** What a machine is called now. Rows outlive the machine, and its number tells nobody which one it was. */
  nameOf: (machineId: string) => string | undefined
  clock: Clock
}

/** Writes the intent before a call is made; returns what writes its result, or undefined where nothing changes. */
export function createAuditor({ audit, operator, nameOf, clock }: AuditedDeps) {
  return (name: IpcName, params: unknown): ((error?: unknown) => void) | undefined => {
    const entry = recorded[name]?.(params as Params)
    if (entry === undefined) return undefined
    const given = (params as Params)['machineId']
    const machineId = typeof given === 'string' ? given : null
    const machine = machineId === null ? undefined : nameOf(machineId)
    const started = clock.now()
    const id = audit.begin({
      sandboxId: machineId,
      operator: operator(),
      action: entry.action,
      details: machine === undefined ? entry.details : { ...entry.details, machine },
      createdAt: isoTime(clock),
    })
    return (error) => {
      const expected = error instanceof Problem
      audit.finish(id, {
        result: error === undefined ? 'success' : expected ? 'failure' : 'error',
        errorMessage: error === undefined ? null : expected ? error.message : 'unexpected failure',
        durationMs: clock.now() - started,
        at: isoTime(clock),
      })
    }
  }
}
