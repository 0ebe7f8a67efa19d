import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Program, type ProgramOptions, startProgram } from '../rigs/program.ts'

export interface Answering {
  program: Program
  /** From the start of the process to its first 200, in ms. */
  tookMs: number
}

/** Starts a server and asks it, again and again, until it answers with 200. */
export async function startUntilAnswer(
  program: string,
  args: readonly string[],
  socketPath: string,
  options: ProgramOptions,
): Promise<Answering> {
  const began = performance.now()
  const running = await startProgram(program, args, options)
  while ((await ask(socketPath)) !== 200) {
    if (running.exitCode !== undefined) throw new Error(`${args.join(' ')} ended:\n${running.output()}`)
    await sleep(1)
  }
  return { program: running, tookMs: performance.now() - began }
}

/** The status of the answer; undefined while there is none. */
function ask(socketPath: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const request = http.get(
      { socketPath, path: '/health', agent: false, headers: { host: 'localhost' } },
      (response) => {
        response.resume()
        response.once('end', () => resolve(response.statusCode))
      },
    )
    request.once('error', () => resolve(undefined))
  })
}
