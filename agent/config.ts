import os from 'node:os'
import path from 'node:path'

/** Everything the agent is told from outside, read once at the start. */
export interface Config {
  /** Where state lives: database, browser contexts, the Unix socket unless told otherwise. */
  dataDir: string
  socketPath: string | undefined
  /** Loopback TCP port; undefined when turned off. 0 takes a free one. */
  port: number | undefined
  /** Further addresses to listen on. */
  bind: { host: string; port: number }[]
  allowPublicBind: boolean
  /** Further names that may stand in `Host`. */
  hostNames: string[]
  machineType: string
  /** The only folder that files are uploaded to pages from. */
  uploadDir: string
  /** Whether a lease that runs out keeps the browser paused instead of going back to the engine. */
  leaseExpiry: 'hand_back' | 'keep_paused'
  /** The model that engines ask, unless their settings name another; the key is known here only. */
  models: { baseUrl: string | undefined; model: string | undefined; apiKey: string }
  /** With it the agent is a worker of Hatchet; its other settings are read from HATCHET_CLIENT_… as Hatchet says. */
  hatchetToken: string | undefined
  /** Where the secret is read from; undefined when it came in PILOTHOUSE_SECRET. */
  secretFile: string | undefined
  /** What makes fingerprints of variables comparable between machines that have secrets of their own. */
  fleetSalt: string | undefined
  /** Whether `POST /env/:key/reveal` shows values. */
  allowReveal: boolean
  /** The only programs that may be run as commands; undefined allows all. */
  execAllow: string[] | undefined
  /** Variables of the agent's environment that commands and terminals see although their names say that they are secret. */
  commandEnv: string[]
  recordTerminals: boolean
  /** The shell of terminals, instead of the user's own. */
  shell: string | undefined
  /** Whom terminals are opened as, instead of the agent's own user; that takes root. */
  terminalUser: string | undefined
  /** How this machine is powered off, where the usual way is not the right one. */
  shutdownCommand: string | undefined
  /** What the machine's containers look like; see agent/deploys/services-file.ts. */
  servicesFile: string
  /** The variables that every service gets. */
  envFile: string
  /** What may be kept of the display, in films. */
  recordings: { maxMegabytes: number; maxMinutes: number; maxRecordings: number }
  /** Whether a browser that ended by itself is started again. */
  browserRestart: 'never' | 'on-failure'
  /** A display that is there already, such as `:0`; undefined makes one of the agent's own. */
  existingDisplay: string | undefined
  /** AdsPower's local API, and the key it asks for when its verification is on. */
  adspower: { url: string; key: string | undefined }
  /** The settings that Docker's own tools read: where the engine is, and the logins of its registries. */
  dockerEnv: { DOCKER_HOST?: string; XDG_RUNTIME_DIR?: string; DOCKER_CONFIG?: string }
}

export function readConfig(env: NodeJS.ProcessEnv): Config {
  const dataDir = env['PILOTHOUSE_DATA_DIR'] ?? defaultDataDir()
  const port = env['PILOTHOUSE_PORT'] ?? '8000'
  const servicesFile = path.resolve(env['PILOTHOUSE_SERVICES'] ?? path.join(dataDir, 'services.json'))
  return {
    dataDir,
    socketPath:
      env['PILOTHOUSE_SOCKET'] === 'off' ? undefined : (env['PILOTHOUSE_SOCKET'] ?? path.join(dataDir, 'agent.sock')),
    port: port === 'off' ? undefined : parsePort(port),
    bind: list(env['PILOTHOUSE_BIND']).map((item) => parseBind(item, port)),
    allowPublicBind: env['PILOTHOUSE_ALLOW_PUBLIC_BIND'] === '1',
    hostNames: list(env['PILOTHOUSE_HOST_NAMES']),
    machineType: env['PILOTHOUSE_MACHINE_TYPE'] ?? (process.platform === 'darwin' ? 'macos' : 'ssh_host'),
    uploadDir: path.resolve(env['PILOTHOUSE_UPLOAD_DIR'] ?? path.join(dataDir, 'uploads')),
    leaseExpiry: env['PILOTHOUSE_LEASE_EXPIRY'] === 'keep_paused' ? 'keep_paused' : 'hand_back',
    models: {
      baseUrl: env['PILOTHOUSE_LLM_URL'],
      model: env['PILOTHOUSE_LLM_MODEL'],
      apiKey: env['PILOTHOUSE_LLM_KEY'] ?? env['OPENAI_API_KEY'] ?? '',
    },
    hatchetToken: env['HATCHET_CLIENT_TOKEN'] || undefined,
    secretFile:
      env['PILOTHOUSE_SECRET'] === undefined
        ? path.resolve(env['PILOTHOUSE_SECRET_FILE'] ?? path.join(dataDir, 'secret'))
        : undefined,
    fleetSalt: env['PILOTHOUSE_FLEET_SALT'],
    allowReveal: env['PILOTHOUSE_ALLOW_REVEAL'] === '1',
    execAllow: env['PILOTHOUSE_EXEC_ALLOW'] === undefined ? undefined : list(env['PILOTHOUSE_EXEC_ALLOW']),
    commandEnv: list(env['PILOTHOUSE_COMMAND_ENV']),
    recordTerminals: env['PILOTHOUSE_RECORD_TERMINALS'] === '1',
    shell: env['PILOTHOUSE_SHELL'],
    terminalUser: userName(env['PILOTHOUSE_TERMINAL_USER']),
    shutdownCommand: env['PILOTHOUSE_SHUTDOWN_COMMAND'],
    servicesFile,
    envFile: path.resolve(env['PILOTHOUSE_ENV_FILE'] ?? path.join(path.dirname(servicesFile), '.env')),
    recordings: {
      maxMegabytes: positive(env, 'PILOTHOUSE_RECORDING_MAX_MB', 500),
      maxMinutes: positive(env, 'PILOTHOUSE_RECORDING_MAX_MINUTES', 30),
      maxRecordings: positive(env, 'PILOTHOUSE_RECORDING_MAX_COUNT', 50),
    },
    browserRestart: choice(env, 'PILOTHOUSE_BROWSER_RESTART', ['on-failure', 'never']),
    existingDisplay: displayName(env['PILOTHOUSE_DISPLAY']),
    adspower: {
      url: env['PILOTHOUSE_ADSPOWER_URL'] ?? 'http://127.0.0.1:50325',
      key: env['PILOTHOUSE_ADSPOWER_KEY'],
    },
    dockerEnv: pick(env, ['DOCKER_HOST', 'XDG_RUNTIME_DIR', 'DOCKER_CONFIG']),
  }
}

function pick<Name extends string>(env: NodeJS.ProcessEnv, names: readonly Name[]): { [N in Name]?: string } {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))) as {
    [N in Name]?: string
  }
}

function positive(env: NodeJS.ProcessEnv, name: string, fallback: number): number {
  const text = env[name]
  const value = text === undefined ? fallback : Number(text)
  if (!(value > 0) || !Number.isFinite(value)) throw new Error(`${name} is "${text}"; it takes a number above 0.`)
  return value
}

/** The first is what it is without a word. */
function choice<const Value extends string>(
  env: NodeJS.ProcessEnv,
  name: string,
  values: readonly [Value, ...Value[]],
): Value {
  const text = env[name]
  if (text === undefined || text === '') return values[0]
  const found = values.find((value) => value === text)
  if (found === undefined) throw new Error(`${name} is "${text}"; it takes ${values.join(' or ')}.`)
  return found
}

function displayName(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  if (!/^:\d{1,5}(\.0)?$/.test(text))
    throw new Error(`PILOTHOUSE_DISPLAY is "${text}"; it takes a display of this machine, such as :0.`)
  return text
}

function userName(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  if (!/^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/.test(text))
    throw new Error(`PILOTHOUSE_TERMINAL_USER is "${text}"; it takes the name of a user of this machine.`)
  return text
}

function defaultDataDir(): string {
  if (process.getuid?.() === 0) return '/var/lib/pilothouse'
  return path.join(os.homedir(), '.local', 'share', 'pilothouse')
}

function list(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

function parsePort(text: string): number {
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new Error(`PILOTHOUSE_PORT is "${text}"; it takes a port number, or "off".`)
  }
  return port
}

function parseBind(item: string, defaultPort: string): { host: string; port: number } {
  const match = /^\[?([^\]]+?)\]?(?::(\d+))?$/.exec(item)
  const bareV6 = item.includes('::') && !item.includes(']')
  if (match?.[1] === undefined && !bareV6) throw new Error(`PILOTHOUSE_BIND has "${item}", which is not an address.`)
  const host = bareV6 ? item : (match?.[1] ?? item)
  const port = bareV6 ? undefined : match?.[2]
  return { host, port: parsePort(port ?? (defaultPort === 'off' ? '8000' : defaultPort)) }
}
