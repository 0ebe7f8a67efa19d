import { z } from 'zod'
import { agentEventSchema } from './contract/events.ts'
import { secretShape } from './domain/agent-secret.ts'
import { environments } from './domain/environments.ts'
import { machineTypes, machineView, tunnelSchema } from './domain/machine.ts'
import { providerSchema } from './domain/power.ts'
import { problemSchema } from './errors.ts'
import { auditCalls } from './ipc-audit.ts'
import { deployCalls, deployEvents } from './ipc-deploys.ts'
import { inspectorCalls } from './ipc-inspector.ts'
import { logsCalls } from './ipc-logs.ts'
import { machineCalls, machineEvents } from './ipc-machine.ts'
import { pictureCalls, pictureEvents } from './ipc-pictures.ts'
import { powerCalls, powerEvents } from './ipc-power.ts'
import { settingsCalls } from './ipc-settings.ts'
import { takeoverIpc, takeoverIpcEvents } from './ipc-takeover.ts'
import { terminalCalls } from './ipc-terminal.ts'
import { windowCalls, windowEvents } from './ipc-windows.ts'

/**
 * Everything that passes between main and a window, declared as the agent's calls are. The window's side
 * is one generic function in the preload; main's side is one wrapper that checks sender and schema.
 */
export interface IpcDefinition<Params extends z.ZodType = z.ZodType, Result extends z.ZodType = z.ZodType> {
  readonly params: Params
  readonly result: Result
}

function define<Params extends z.ZodType, Result extends z.ZodType>(
  params: Params,
  result: Result,
): IpcDefinition<Params, Result> {
  return { params, result }
}

const nothing = z.strictObject({})
const machineId = z.string().min(1).max(100)
const onMachine = z.strictObject({ machineId })
const done = z.object({})
/** As a person pastes it: the agent reads its own without the space around it, too. */
const typedSecret = z.string().trim().min(1).max(1024).regex(secretShape, 'is no secret of an agent')

export const keychainState = z.object({
  /** `ready` keeps secrets for good; otherwise they live as long as this run, and `detail` says why. */
  state: z.enum(['ready', 'missing', 'locked', 'weak']),
  detail: z.string(),
})

/** Of what the system tells a person while they look elsewhere. All off until chosen. */
export const notificationChoices = z.strictObject({
  takeovers: z.boolean(),
  deploys: z.boolean(),
  lost: z.boolean(),
  sound: z.boolean(),
})
export type NotificationChoices = z.infer<typeof notificationChoices>

export const settingsSchema = z.strictObject({
  theme: z.enum(['system', 'dark', 'light']),
  operator: z.string().trim().min(1).max(100),
  /** How long control lasts without a sign of life. */
  leaseMinutes: z.int().min(1).max(15),
  /** A tone when a person is wanted. */
  takeoverSound: z.boolean(),
  /** What is selected in a terminal is copied at once. */
  copyOnSelect: z.boolean(),
  /** Terminals are read out by screen readers; costs a little time for every line. */
  screenReader: z.boolean(),
  notifications: notificationChoices,
  /** Keys that a person chose instead of an action's own, by the action. */
  shortcuts: z.record(z.string().max(100), z.string().max(60)),
})
export type Settings = z.infer<typeof settingsSchema>

export const appInfo = z.object({
  version: z.string(),
  platform: z.string(),
  electron: z.string(),
  keychain: keychainState,
  settings: settingsSchema,
  /** Where the console was told to go at the start. */
  open: z.enum(['home', 'demo']),
  openStreams: z.number().int(),
  /** Where a damaged store was put, after which this one began anew. */
  setAside: z.object({ file: z.string(), inThisRun: z.boolean() }).nullable(),
})
export type AppInfo = z.infer<typeof appInfo>

const promptQuestions = z.array(z.object({ text: z.string(), echo: z.boolean() }))

/** What is shown to a person; what a server sends in it is text to be shown, and nothing else. */
export const promptSchema = z.discriminatedUnion('kind', [
  z.object({
    id: z.string(),
    kind: z.literal('host-key'),
    title: z.string(),
    host: z.string(),
    keyType: z.string(),
    fingerprint: z.string(),
    note: z.string().nullable(),
  }),
  z.object({
    id: z.string(),
    kind: z.literal('passphrase'),
    title: z.string(),
    keyFile: z.string(),
    note: z.string().nullable(),
    questions: promptQuestions,
    canRemember: z.boolean(),
  }),
  z.object({
    id: z.string(),
    kind: z.literal('keyboard-interactive'),
    title: z.string(),
    host: z.string(),
    note: z.string().nullable(),
    questions: promptQuestions,
  }),
])
export type Prompt = z.infer<typeof promptSchema>

export const tunnelTestLink = z.object({
  name: z.string(),
  state: z.enum(['up', 'down', 'unknown']),
  detail: z.string(),
})
export type TunnelTestLink = z.infer<typeof tunnelTestLink>

/** `ready` has peers; otherwise `detail` says what to do first. */
export const tailscalePeers = z.object({
  state: z.enum(['ready', 'not-installed', 'logged-out', 'stopped', 'failed']),
  detail: z.string(),
  peers: z.array(z.object({ name: z.string(), addresses: z.array(z.string()), online: z.boolean(), os: z.string() })),
})
export type TailscalePeers = z.infer<typeof tailscalePeers>

export const ipcCalls = {
  ...auditCalls,
  ...powerCalls,
  ...takeoverIpc,
  ...terminalCalls,
  ...logsCalls,
  ...inspectorCalls,
  ...deployCalls,
  ...windowCalls,
  ...pictureCalls,
  ...machineCalls,
  ...settingsCalls,
  'app.info': define(nothing, appInfo),
  'app.copyText': define(z.strictObject({ text: z.string().max(1024 * 1024) }), done),
  /** The live view shows a page: what `--screenshot` waits for. */
  'app.livePictureShown': define(onMachine, done),
  'settings.set': define(settingsSchema.partial(), settingsSchema),

  'fleet.list': define(nothing, z.array(machineView)),
  'fleet.verify': define(onMachine, machineView),
  /** Starts the agent of this computer, if it does not run, with its browser. */
  'fleet.tryLocal': define(nothing, z.object({ machineId: z.string() })),
  'fleet.add': define(
    z.strictObject({
      name: z.string().trim().min(1).max(100),
      environment: z.enum(environments),
      machineType: z.enum(machineTypes),
      tunnel: tunnelSchema,
      /** What is set for its kind of machine. */
      provider: providerSchema.optional(),
      /** The one moment a secret crosses: a person types it in. */
      secret: typedSecret,
      /** By which it can be called off. */
      addId: z.uuid().optional(),
    }),
    machineView,
  ),
  /** Nobody waits for its answer any more: it is not kept. One that was added by then stays. */
  'fleet.addCancel': define(z.strictObject({ addId: z.uuid() }), done),
  'fleet.remove': define(onMachine, done),
  /** A person wakes a machine that is gone or off; nothing else ever does. */
  'fleet.wake': define(onMachine, machineView),
  /** A person types the agent's secret in anew, after it was refused or lost. */
  'fleet.setSecret': define(z.strictObject({ machineId, secret: typedSecret }), machineView),

  /** Tries a way to a machine that is not kept yet, link by link. */
  'tunnels.test': define(
    z.strictObject({ tunnel: tunnelSchema, secret: typedSecret.optional() }),
    z.object({ links: z.array(tunnelTestLink) }),
  ),
  /** Hosts of the person's own SSH configuration. */
  'tunnels.sshHosts': define(nothing, z.object({ hosts: z.array(z.string()) })),
  'tunnels.tailscalePeers': define(nothing, tailscalePeers),
  /** For the diagnostics: what is open, and whether SSH's ciphers run in native code. */
  'tunnels.diagnostics': define(
    nothing,
    z.object({
      sshNative: z.boolean(),
      connections: z.array(z.object({ host: z.string(), state: z.string(), channels: z.int(), detail: z.string() })),
    }),
  ),
  /** What a person has to say before a tunnel can go on. Answers go to main only, and never come back. */
  'prompt.list': define(nothing, z.array(promptSchema)),
  'prompt.answer': define(
    z.discriminatedUnion('action', [
      z.strictObject({ id: z.string().max(100), action: z.literal('accept') }),
      z.strictObject({ id: z.string().max(100), action: z.literal('cancel') }),
      z.strictObject({
        id: z.string().max(100),
        action: z.literal('answer'),
        answers: z.array(z.string().max(4096)).max(20),
        /** Keep it in the keychain. */
        remember: z.boolean(),
      }),
    ]),
    done,
  ),

  /** Any call of the contract that a window may make; parameters and result are checked against it. */
  'agent.call': define(
    z.strictObject({ machineId, call: z.string().max(100), params: z.record(z.string(), z.unknown()) }),
    z.unknown(),
  ),

  /** The stream itself comes as a MessagePort with this id; see stream.ts. */
  'stream.open': define(
    z.strictObject({ machineId, socket: z.string().max(100), params: z.record(z.string(), z.unknown()) }),
    z.object({ streamId: z.string() }),
  ),
} as const satisfies Record<string, IpcDefinition>

export const ipcEvents = {
  ...powerEvents,
  ...deployEvents,
  ...windowEvents,
  ...takeoverIpcEvents,
  ...machineEvents,
  ...pictureEvents,
  prompt: promptSchema,
  'prompt.closed': z.object({ id: z.string() }),
  'fleet.changed': z.object({ changed: z.array(machineView), removed: z.array(z.string()) }),
  'agent.event': z.object({ machineId: z.string(), event: agentEventSchema }),
  'settings.changed': settingsSchema,
  /** From the application menu and from the command line. */
  command: z.object({ command: z.enum(['palette', 'settings', 'fleet']) }),
} as const satisfies Record<string, z.ZodType>

export type IpcCalls = typeof ipcCalls
export type IpcName = keyof IpcCalls
export type IpcParams<Name extends IpcName> = z.input<IpcCalls[Name]['params']>
export type IpcParamsOut<Name extends IpcName> = z.output<IpcCalls[Name]['params']>
export type IpcResult<Name extends IpcName> = z.output<IpcCalls[Name]['result']>
export type IpcEventName = keyof typeof ipcEvents
export type IpcEventData<Name extends IpcEventName> = z.output<(typeof ipcEvents)[Name]>

/** Expected failures are returned, not thrown: an Error loses its code on the way through Electron. */
export const ipcAnswer = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), value: z.unknown() }),
  z.object({ ok: z.literal(false), problem: problemSchema }),
])
export type IpcAnswer = z.infer<typeof ipcAnswer>

export { ipcChannel } from './ipc-channels.ts'

/** What the preload puts on `window.pilothouse`. */
export interface Bridge {
  invoke(name: string, params: unknown): Promise<IpcAnswer>
  /**
   * Calls back for every event of main, its data as JSON: an object is copied part by part on its way over the bridge.
   * Returns the way to stop.
   */
  onEvent(listener: (name: string, json: string) => void): () => void
}
