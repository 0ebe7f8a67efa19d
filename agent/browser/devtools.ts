import { readFileSync, rmSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { parseJson } from '../../shared/contract/wire.ts'

/** Chromium's debugging port: where it is, whether it answers, which pages there are. */
export interface DevTools {
  port: number
  browserUrl: string
}

export interface PageTarget {
  id: string
  url: string
  title: string
}

const answerTimeoutMs = 2000
const maxAnswerBytes = 8 * 1024 * 1024
const versionSchema = z.looseObject({ Browser: z.string() })
const targetsSchema = z.array(z.looseObject({ id: z.string(), type: z.string(), url: z.string(), title: z.string() }))

function portFile(profileDir: string): string {
  return path.join(profileDir, 'DevToolsActivePort')
}

/** A file of an earlier run would send the agent to whoever has that port today. */
export function forgetPort(profileDir: string): void {
  rmSync(portFile(profileDir), { force: true })
}

/** Waits until Chromium has written down its port and answers on it. */
export async function findDevTools(profileDir: string, signal: AbortSignal): Promise<DevTools> {
  for (;;) {
    const found = readPort(profileDir)
    if (found !== undefined && (await isAnswering(found.port))) return found
    await sleep(25, undefined, { signal })
  }
}

function readPort(profileDir: string): DevTools | undefined {
  try {
    const [port = '', browserPath = ''] = readFileSync(portFile(profileDir), 'utf8').split('\n')
    if (!/^\d{1,5}$/.test(port) || !/^\/devtools\/browser\/[\w-]+$/.test(browserPath)) return undefined
    return { port: Number(port), browserUrl: `ws://127.0.0.1:${port}${browserPath}` }
  } catch {
    return undefined
  }
}

/** Whether the browser behind the port is alive. */
export async function isAnswering(port: number): Promise<boolean> {
  try {
    await getJson(port, '/json/version')
    return true
  } catch {
    return false
  }
}

/** What Chromium says of itself. */
export async function readVersion(port: number): Promise<Record<string, unknown> & { Browser: string }> {
  return versionSchema.parse(await getJson(port, '/json/version'))
}

/** Everything that can be attached to: pages, workers, frames. */
export async function readTargets(port: number): Promise<z.infer<typeof targetsSchema>> {
  return targetsSchema.parse(await getJson(port, '/json/list'))
}

/** The open pages, the one last in front first. */
export async function listPages(port: number): Promise<PageTarget[]> {
  const targets = await readTargets(port)
  return targets
    .filter((target) => target.type === 'page' && !target.url.startsWith('devtools:'))
    .map(({ id, url, title }) => ({ id, url, title }))
}

function getJson(port: number, requestPath: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(answerTimeoutMs)
    const request = http.get({ host: '127.0.0.1', port, path: requestPath, signal, agent: false }, (response) => {
      const chunks: Buffer[] = []
      let size = 0
      response.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > maxAnswerBytes) response.destroy(new Error('the answer is too large'))
        else chunks.push(chunk)
      })
      response.once('error', reject)
      response.once('end', () => {
        try {
          if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`)
          resolve(parseJson(Buffer.concat(chunks).toString('utf8')))
        } catch (error) {
          reject(error)
        }
      })
    })
    request.once('error', reject)
  })
}
