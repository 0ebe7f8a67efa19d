import { processTree, proportionalBytes } from '../rigs/processes.ts'
import { settled } from './settled.ts'

/** What all of a console's processes weigh once that has stopped moving, in MB. */
export async function weigh(pid: number): Promise<number> {
  const bytes = await settled(() => processTree(pid).reduce((sum, one) => sum + proportionalBytes(one.pid), 0))
  return bytes / 1e6
}
