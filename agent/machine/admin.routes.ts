import type { EnvService } from '../env/env.service.ts'
import type { Handlers } from '../server/handlers.ts'
import { oldSecretLivesMs } from '../server/secrets.ts'
import type { LiveConfig } from './live-config.ts'
import { powerOff } from './power.ts'
import type { SecretKeeper } from './secret-keeper.ts'

export interface AdminParts {
  secrets: SecretKeeper
  config: LiveConfig
  env: EnvService
}

export function adminRoutes({
  secrets,
  config,
  env,
}: AdminParts): Pick<Handlers, 'machine.shutdown' | 'machine.rotateSecret' | 'machine.refreshSecrets'> {
  return {
    'machine.shutdown': async () => {
      await powerOff(config.current.shutdownCommand)
      return { success: true, message: 'The machine is powering off.' }
    },
    'machine.rotateSecret': async ({ current, next }) => {
      const where = await secrets.rotate(current, next)
      const oldValidUntil = new Date(Date.now() + oldSecretLivesMs).toISOString()
      return { success: true, message: `${where} The old one is accepted for another 60 s.`, oldValidUntil }
    },
    'machine.refreshSecrets': async (_params, context) => {
      const variables = await env.count()
      const { changed, waiting } = config.reload()
      const newSecret = secrets.refresh()
      context.note({ refreshed: true, newSecret, changed, waiting })
      const sentences = [
        `The env file has ${variables} variables.`,
        newSecret ? 'The secret file has a new secret; the old one is accepted for another 60 s.' : '',
        changed.length === 0 ? 'No setting has changed.' : `In effect now: ${changed.join(', ')}.`,
        waiting.length === 0 ? '' : `After a restart of the agent: ${waiting.join(', ')}.`,
      ]
      return { success: true, message: sentences.filter((sentence) => sentence !== '').join(' ') }
    },
  }
}
