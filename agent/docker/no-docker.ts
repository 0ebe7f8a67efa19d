import fs from 'node:fs'
import { Problem } from '../../shared/errors.ts'
import { installCommand } from '../machine/programs.ts'
import { findProgram } from '../processes/find-program.ts'
import { dockerSockets } from './socket-places.ts'

const startCommands = [
  ['dockerd', 'systemctl start docker'],
  ['podman', 'systemctl start podman.socket'],
] as const
const packages = { apt: ['docker.io'], dnf: ['docker'], apk: ['docker'] }

export interface NoDocker {
  detail: string
  /** The command that installs it; null where it is installed, or where no command would help. */
  install: string | null
  /** What to do instead where it is installed and only does not run. */
  start?: string | undefined
}

/** Why no engine answers and what to do about it: refused, silent, told wrongly, or not there at all. */
export function explainNoDocker(env: NodeJS.ProcessEnv): NoDocker {
  const host = env['DOCKER_HOST'] ?? ''
  const sockets = dockerSockets(env)
  if (host !== '' && sockets.length === 0) {
    return {
      detail: 'DOCKER_HOST does not name a Unix socket. Set it to unix:// and a path, or leave it out.',
      install: null,
    }
  }
  const there = sockets.find((socket) => fs.existsSync(socket))
  if (there === undefined) {
    const detail = 'No Docker engine answers on its socket.'
    // One that is stopped takes its socket with it.
    const engine = startCommands.find(([program]) => findProgram([program]) !== undefined)
    const start = engine && `It is installed: start it, for example with "${engine[1]}".`
    return { detail: start === undefined ? detail : `${detail} ${start}`, install: installCommand(packages), start }
  }
  try {
    fs.accessSync(there, fs.constants.R_OK | fs.constants.W_OK)
  } catch {
    return {
      detail: `The agent may not use ${there}. Add its user to the group of that socket and restart the agent.`,
      install: null,
    }
  }
  return {
    detail: `The Docker engine behind ${there} does not answer. Start it, for example with "systemctl start docker".`,
    install: null,
  }
}

export function noDockerProblem(env: NodeJS.ProcessEnv, cause?: unknown): Problem {
  const { detail, install, start } = explainNoDocker(env)
  const next = install === null || start !== undefined ? '' : ` Install it with: ${install}`
  return new Problem('install-required', `${detail}${next}`, { capability: 'docker', install }, { cause })
}
