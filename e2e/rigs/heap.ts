import v8 from 'node:v8'
import vm from 'node:vm'

export const megabyte = 1024 * 1024
v8.setFlagsFromString('--expose-gc')
const collect = vm.runInNewContext('gc') as () => void

/** What this process still holds: only V8 itself says. */
export function heapMegabytes(): number {
  collect()
  return process.memoryUsage().heapUsed / megabyte
}
