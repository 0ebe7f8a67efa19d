import type { Handlers } from '../server/handlers.ts'
import type { EnvService } from './env.service.ts'

export function envRoutes(env: EnvService): Pick<Handlers, 'env.get' | 'env.set' | 'env.delete' | 'env.reveal'> {
  return {
    'env.get': () => env.list(),
    'env.set': async ({ vars, restart, remove, expect }, context) => {
      const result = await env.set(vars, restart, context.operator, { remove, expect })
      const { updatedKeys, removedKeys, restarted } = result
      context.note({ updatedKeys, removedKeys, restarted })
      return result
    },
    'env.delete': ({ key }, context) => {
      context.note({ variable: key })
      return env.remove(key)
    },
    'env.reveal': ({ key, reason }, context) => {
      context.note({ variable: key, reason })
      return env.reveal(key)
    },
  }
}
