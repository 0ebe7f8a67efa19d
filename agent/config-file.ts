import fs from 'node:fs'
import { envVars, parseEnvFile } from '../shared/domain/env-file.ts'

/**
 * The agent's settings: the environment, over the file that PILOTHOUSE_CONFIG names (one `PILOTHOUSE_…=value` a
 * line). A file, unlike an environment, can be read again while the agent runs.
 */
export function withConfigFile(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const file = env['PILOTHOUSE_CONFIG']
  if (file === undefined || file === '') return { ...env }
  let text: string
  try {
    text = fs.readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`PILOTHOUSE_CONFIG names ${file}, which cannot be read: ${(error as Error).message}`)
  }
  const settings = [...envVars(parseEnvFile(text))].filter(([key]) => key.startsWith('PILOTHOUSE_'))
  return { ...Object.fromEntries(settings), ...env }
}
