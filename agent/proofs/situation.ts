import type { TestAgent } from '../../e2e/rigs/agent.ts'
import type { PageServer } from '../../e2e/rigs/pages.ts'
import type { CallDefinition, SocketDefinition } from '../../shared/contract/define.ts'
import {
  type CallName,
  type CallParams,
  calls,
  type SocketName,
  type SocketParams,
  sockets,
} from '../../shared/contract/index.ts'
import type { ProblemCode } from '../../shared/errors.ts'
import type { ScriptedEngines } from './scripted-engine.ts'

/** One agent with one browser, and what can be done to both. */
export interface World {
  readonly rig: TestAgent
  readonly pages: PageServer
  readonly engines: ScriptedEngines
  readonly call: TestAgent['client']['call']
  /** Sees to it that this kind of browser runs, or none. */
  have(kind: 'none' | 'headless' | 'display'): Promise<void>
  /** Opens one of the test's pages in front. */
  open(path: string): Promise<void>
  /** The tab in front. */
  front(): Promise<string>
  /** How long calls on pages may take that are not told: as usual, or so short that nobody has to wait. */
  patience(how: 'usual' | 'short'): void
  /** Ends the process of the page in front, as running out of memory would. */
  crash(): Promise<void>
  /** Stops the processes of the pages in their tracks; what it returns lets them go on. */
  freezePages(): Promise<() => Promise<void>>
  /** Stops the browser's own process in its tracks, or ends it. */
  signal(signal: 'SIGSTOP' | 'SIGKILL'): Promise<void>
  /** Has the cascade call for a person; `ended` waits until nobody is called for any more. */
  askForHelp(): Promise<{ id: string; ended(): Promise<unknown> }>
  /** The request that the present situation is about. */
  openRequest: string
  /** Connects through the relay, as a program would; what it returns leaves. */
  control(role: 'controller' | 'observer'): Promise<() => Promise<unknown>>
  /** Sets a variable for the agent, which lives in this process; put back after the situation. */
  setEnv(name: string, value: string): void
}

type Given<Params> = Params | ((world: World) => Params | Promise<Params>)

/** Something that is so, and the calls that then end with one and the same problem. */
export interface Situation {
  name: string
  code: ProblemCode
  /** Makes it so; a function that it returns undoes what a fresh page would not. */
  arrange(world: World): Promise<unknown>
  calls?: { [Name in CallName]?: Given<CallParams<Name>> }
  sockets?: { [Name in SocketName]?: Given<SocketParams<Name>> }
  /** What happens to the calls once all of them are under way; without it they are made one by one. */
  meanwhile?(world: World): Promise<unknown>
}

/** The part of the contract that is proved here: the browser, the desktop, takeovers, engines and their jobs. */
const proved = /^\/(v1\/|takeover|ws\/vnc)/

const pair = (name: string, code: ProblemCode) => `${name} → ${code}`

/** Every call and socket with every problem it declares. */
export function declaredPairs(): string[] {
  const all: readonly (CallDefinition | SocketDefinition)[] = [...calls, ...sockets]
  return all
    .filter(({ path }) => proved.test(path))
    .flatMap(({ name, problems }) => problems.map((code) => pair(name, code)))
}

/** Every call and socket that a situation has end with its problem. */
export function provokedPairs(situations: readonly Situation[]): string[] {
  return situations.flatMap(({ code, calls: asked = {}, sockets: opened = {} }) =>
    [...Object.keys(asked), ...Object.keys(opened)].map((name) => pair(name, code)),
  )
}
