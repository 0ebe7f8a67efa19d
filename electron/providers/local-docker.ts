import type { Provider } from './provider.ts'

/** This computer: on while the console runs. It is started and ended with the console's own agent. */
export function localDocker(): Provider {
  return { kind: 'local_docker', name: 'this computer', actions: [] }
}
