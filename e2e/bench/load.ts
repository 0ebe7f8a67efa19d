import path from 'node:path'
import { nodeProgram } from '../rigs/built.ts'
import { runProgram } from '../rigs/program.ts'

export interface Load {
  /** Answers. */
  perSecond: number
  /** Milliseconds within which 99 of 100 answers came. */
  p99: number
}

export const loadConnections = 16
const runMs = 2000

/** Asks a server on loopback for one path over kept connections, as fast as it answers. */
export async function loadOn(port: number, urlPath: string, secret: string): Promise<Load> {
  const request = [
    `GET ${urlPath} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    // Sent to all, so that all read the same bytes.
    `Authorization: Bearer ${secret}`,
    'Connection: keep-alive',
    '\r\n',
  ].join('\r\n')
  const options = JSON.stringify({ port, request, connections: loadConnections, ms: runMs })
  return JSON.parse(await runProgram(nodeProgram, [path.join(import.meta.dirname, 'load.mjs'), options])) as Load
}
