import http from 'node:http'
import https from 'node:https'
import path from 'node:path'
import type { Capability } from '../../shared/contract/machine.ts'
import type { DockerEngine } from '../docker/engine.ts'
import { explainNoDocker } from '../docker/no-docker.ts'
import { inspectEngines } from '../engines/registry.ts'
import { findProgram } from '../processes/find-program.ts'
import { loadPty, ptyPackage } from '../terminal/pty.ts'
import { installCommand } from './programs.ts'

export interface MachineParts {
  docker: { version: string; containers: number } | undefined
  capabilities: Record<string, Capability>
}

/** Which optional parts work here, and for each that does not, the command that installs it. */
export async function inspectMachine(
  engine: DockerEngine,
  dockerEnv: NodeJS.ProcessEnv,
  adspowerUrl: string,
  chromium: string | undefined,
  hatchet: Capability,
): Promise<MachineParts> {
  const [docker, adspower, pty] = await Promise.all([
    engine.available(),
    answersHttp(`${adspowerUrl}/status`),
    inspectPty(),
  ])
  const xvnc = findProgram(['Xvnc', 'Xtigervnc'])
  const xvfb = findProgram(['Xvfb'])
  const x11vnc = findProgram(['x11vnc'])
  const ffmpeg = findProgram(['ffmpeg'])
  const tigervnc = { apt: ['tigervnc-standalone-server'], dnf: ['tigervnc-server-minimal'], apk: ['tigervnc'] }
  return {
    docker,
    capabilities: {
      docker: docker === undefined ? withoutDocker(dockerEnv) : there(`Docker ${docker.version}`),
      display:
        xvnc === undefined && xvfb === undefined
          ? missing('There is no X server for the browser.', tigervnc)
          : there(xvnc === undefined ? 'Xvfb' : 'Xvnc'),
      vnc:
        xvnc === undefined && x11vnc === undefined
          ? missing('There is no VNC server: the live view falls back to the screencast.', tigervnc)
          : there(xvnc === undefined ? 'x11vnc' : 'Xvnc'),
      chromium:
        chromium === undefined
          ? missing('There is no Chromium.', {
              apt: ['chromium', 'chromium-sandbox'],
              dnf: ['chromium'],
              apk: ['chromium', 'nss'],
            })
          : there(chromium),
      adspower: adspower ? there('its local API answers') : missing('AdsPower does not run on this machine.', {}),
      pty,
      recording:
        ffmpeg === undefined
          ? missing('There is no ffmpeg.', { apt: ['ffmpeg'], dnf: ['ffmpeg-free'], apk: ['ffmpeg'] })
          : there('ffmpeg'),
      engines: inspectEngines(),
      hatchet,
    },
  }
}

function withoutDocker(env: NodeJS.ProcessEnv): Capability {
  const { detail, install } = explainNoDocker(env)
  return { available: false, detail, install }
}

/** Installed is not enough: its native part must fit this machine. */
async function inspectPty(): Promise<Capability> {
  try {
    await loadPty()
    return there('node-pty')
  } catch {
    const beside = path.dirname(process.argv[1] ?? '')
    return {
      available: false,
      detail: 'The native part that terminals need is not installed, or does not fit this machine.',
      install: `npm install --prefix ${JSON.stringify(beside)} ${ptyPackage}`,
    }
  }
}

function there(detail: string): Capability {
  return { available: true, detail, install: null }
}

function missing(detail: string, packages: Parameters<typeof installCommand>[0]): Capability {
  return { available: false, detail, install: installCommand(packages) }
}

/** Not with `fetch`: a machine that never uses it saves the ten megabytes that Node loads for it. */
function answersHttp(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    try {
      const { get } = url.startsWith('https:') ? https : http
      const request = get(url, { agent: false, signal: AbortSignal.timeout(500) }, (response) => {
        response.destroy()
        resolve(true)
      })
      request.on('error', () => resolve(false))
      // Who answers with another protocol is closed without an error.
      request.on('close', () => resolve(false))
    } catch {
      // Not an address at all.
      resolve(false)
    }
  })
}
