import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { nodeProgram } from './built.ts'
import { deathGuard } from './program.ts'

/**
 * Runs a script that writes for ever and prints a number for each write that was acknowledged, and kills it with
 * `kill -9` in the middle, at another moment each time. Returns the numbers of this life.
 */
export async function killWriter(script: string, args: readonly string[], afterWrites: number): Promise<number[]> {
  const [command = nodeProgram, ...rest] = [...deathGuard, nodeProgram, '--disable-warning=ExperimentalWarning', script]
  const child = spawn(command, [...rest, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  let wrong = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    wrong += text
  })
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (said.split('\n').length > afterWrites) child.kill('SIGKILL')
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== null) throw new Error(`The writer ended by itself with ${code}:\n${wrong}`)
  // A last line without its end was under way when the end came.
  return said.split('\n').slice(0, -1).map(Number)
}
