import fs from 'node:fs'
import { Problem } from '../../shared/errors.ts'
import { installCommand } from '../machine/programs.ts'
import { dockerSockets } from './socket-places.ts'

const packages = { apt: ['docker.io'], dnf: ['docker'], apk: ['docker'] }

export interface NoDocker {
  detail: string
  /** The command that installs it; null where it is installed, or where no command would help. */
  install: string | null
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
  if (there === undefined)
    return { detail: 'No Docker engine answers on its socket.', install: installCommand(packages) }
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
  const { detail, install } = explainNoDocker(env)
  const next = install === null ? '' : ` Install it with: ${install}`
  return new Problem('install-required', `${detail}${next}`, { capability: 'docker', install }, { cause })
}
