import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { Config } from '../config.ts'
import { listenAll } from './listen.ts'

test('the mask that keeps others from the socket falls on nothing else that is made meanwhile', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'listen-'))
  const socketPath = path.join(folder, 'agent.sock')
  const usual = process.umask()
  const seen: number[] = []
  const create = () => http.createServer().on('listening', () => seen.push(process.umask()))
  const config: Partial<Config> = { socketPath, port: undefined, bind: [], allowPublicBind: false }
  const { servers } = await listenAll(config as Config, create)
  expect(seen).toEqual([usual])
  expect(fs.statSync(socketPath).mode & 0o777).toBe(0o660)
  for (const server of servers) server.close()
  fs.rmSync(folder, { recursive: true })
})
