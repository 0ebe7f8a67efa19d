import http from 'node:http'
import { z } from 'zod'

/** A worker that is busy with a browser may take a moment; one that takes longer is silent. */
const answerLimitMs = 2000
const maxAnswerBytes = 64 * 1024

/** What only people read: a worker that says it otherwise has still said what it does. */
const statusSchema = z.object({
  worker_id: z.string().max(200).optional().catch(undefined),
  active_jobs: z.number().int().min(0),
  is_running: z.boolean().default(true),
  is_draining: z.boolean().default(false),
  uptime_ms: z.number().min(0).optional().catch(undefined),
  current_job: z.string().max(500).nullish().catch(undefined),
})
export type WorkerStatus = z.output<typeof statusSchema>

const healthSchema = z.object({ status: z.string().optional(), deploy_safe: z.boolean().optional() })

/** What a worker says of itself; undefined when its server is silent or says something else. */
export async function askStatus(port: number, path: string): Promise<WorkerStatus | undefined> {
  const answer = await ask('GET', port, path)
  if (answer === undefined || answer.status !== 200) return undefined
  return statusSchema.safeParse(answer.json).data
}

/** Whether a worker says that it may be replaced now. One that does not know the word says so by being well. */
export async function askDeploySafe(port: number, path: string): Promise<boolean> {
  const answer = await ask('GET', port, path)
  if (answer === undefined) return false
  return healthSchema.safeParse(answer.json).data?.deploy_safe ?? answer.status === 200
}

/** Tells a worker to take no more jobs; whether it has heard. */
export async function askDrain(port: number, path: string): Promise<boolean> {
  const answer = await ask('POST', port, path)
  return answer !== undefined && answer.status >= 200 && answer.status < 300
}

/** Whether a service is well. A worker answers 503 while it is busy, and that is well too. */
export async function askHealthy(port: number, path: string): Promise<boolean> {
  const answer = await ask('GET', port, path)
  if (answer === undefined) return false
  if (answer.status >= 200 && answer.status < 300) return true
  return answer.status === 503 && healthSchema.safeParse(answer.json).data?.status === 'busy'
}

function ask(method: string, port: number, path: string): Promise<{ status: number; json: unknown } | undefined> {
  return new Promise((resolve) => {
    // The limit is on the whole: a server that sends a byte now and then would never be idle.
    const signal = AbortSignal.timeout(answerLimitMs)
    let answered = false
    const headers = method === 'POST' ? { 'content-length': '0' } : {}
    const request = http.request(
      { host: '127.0.0.1', port, path, method, headers, agent: false, signal },
      (response) => {
        answered = true
        const chunks: Buffer[] = []
        let size = 0
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > maxAnswerBytes) request.destroy()
          else chunks.push(chunk)
        })
        response.on('error', () => resolve(undefined))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, json: parse(Buffer.concat(chunks)) }))
        response.on('close', () => resolve(undefined))
      },
    )
    request.on('error', () => resolve(undefined))
    // Who answers with another protocol is closed without an error.
    request.on('close', () => answered || resolve(undefined))
    request.end()
  })
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
