import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { onProcessEnd } from './process-end.ts'
import { type Program, type ProgramOptions, runProgram, startProgram } from './program.ts'

/** What a bad network does to packets; it is done in both directions. */
export interface Impairment {
  delayMs?: number
  jitterMs?: number
  lossPercent?: number
  rateKbit?: number
}

export interface NetworkMachine {
  /** Its name as a network namespace. */
  namespace: string
  /** Where this process reaches it. */
  address: string
  /** Where it reaches this process. */
  gateway: string
  /** Starts a program that lives at the machine's address. */
  start(program: string, args: readonly string[], options?: ProgramOptions): Promise<Program>
  run(program: string, args: readonly string[], options?: ProgramOptions): Promise<string>
  /** Makes the way to it worse; an empty impairment makes it good again, a loss of 100 % makes it silent. */
  impair(impairment: Impairment): Promise<void>
  /** Takes its interface down. */
  cut(): Promise<void>
  mend(): Promise<void>
  stop(): Promise<void>
}

/** Why there can be no namespaces here; undefined when there can. */
export const noNamespaces = process.getuid?.() === 0 ? undefined : 'network namespaces need root'

/** Why packets cannot be delayed or dropped here; undefined when they can. A kernel may be built without netem. */
export async function noNetem(): Promise<string | undefined> {
  if (noNamespaces !== undefined) return noNamespaces
  const link = `phn-${randomBytes(4).toString('hex')}`
  await runProgram('ip', ['link', 'add', link, 'type', 'veth', 'peer', 'name', `${link}p`])
  try {
    await runProgram('tc', ['qdisc', 'replace', 'dev', link, 'root', ...netem({ delayMs: 1 })])
    return undefined
  } catch {
    return 'this kernel has no netem'
  } finally {
    await runProgram('ip', ['link', 'del', link])
  }
}

/**
 * A machine with an address of its own: a network namespace behind a veth pair.
 * @param subnet The first three numbers of its address, such as `100.64.7` for one as a tailnet gives.
 */
export async function startNetworkMachine(subnet: string): Promise<NetworkMachine> {
  if (noNamespaces !== undefined) throw new Error(noNamespaces)
  const id = randomBytes(4).toString('hex')
  // The kernel takes interface names of at most 15 characters.
  const [namespace, outer, inner] = [`ph-${id}`, `pho-${id}`, `phi-${id}`]
  const [gateway, address] = [`${subnet}.1`, `${subnet}.2`]
  const ip = (...args: string[]) => runProgram('ip', args)
  const inside = (...args: string[]) => ['netns', 'exec', namespace, ...args]
  const programs: Program[] = []
  // The pair goes with the namespace that one of its ends is in.
  const forget = onProcessEnd(() => void execFileSync('ip', ['netns', 'del', namespace], { stdio: 'ignore' }))
  const stop = async () => {
    for (const program of programs) await program.end()
    await ip('link', 'del', outer).catch(() => {})
    await ip('netns', 'del', namespace).catch(() => {})
    forget()
  }
  try {
    await ip('netns', 'add', namespace)
    await ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', inner, 'netns', namespace)
    await ip('address', 'add', `${gateway}/24`, 'dev', outer)
    await ip('-n', namespace, 'address', 'add', `${address}/24`, 'dev', inner)
    await ip('link', 'set', outer, 'up')
    await ip('-n', namespace, 'link', 'set', inner, 'up')
    await ip('-n', namespace, 'link', 'set', 'lo', 'up')
    await ip('-n', namespace, 'route', 'add', 'default', 'via', gateway)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    namespace,
    address,
    gateway,
    async start(program, args, options) {
      const started = await startProgram('ip', inside(program, ...args), options)
      programs.push(started)
      return started
    },
    run: (program, args, options) => runProgram('ip', inside(program, ...args), options),
    async impair(impairment) {
      const rule = netem(impairment)
      await runProgram('tc', ['qdisc', 'replace', 'dev', outer, 'root', ...rule])
      await runProgram('ip', inside('tc', 'qdisc', 'replace', 'dev', inner, 'root', ...rule))
    },
    cut: async () => void (await ip('-n', namespace, 'link', 'set', inner, 'down')),
    mend: async () => {
      await ip('-n', namespace, 'link', 'set', inner, 'up')
      // The kernel drops an interface's routes when it goes down.
      await ip('-n', namespace, 'route', 'replace', 'default', 'via', gateway)
    },
    stop,
  }
}

function netem({ delayMs, jitterMs, lossPercent, rateKbit }: Impairment): string[] {
  return [
    'netem',
    ...(delayMs === undefined ? [] : ['delay', `${delayMs}ms`, ...(jitterMs === undefined ? [] : [`${jitterMs}ms`])]),
    ...(lossPercent === undefined ? [] : ['loss', `${lossPercent}%`]),
    ...(rateKbit === undefined ? [] : ['rate', `${rateKbit}kbit`]),
  ]
}
