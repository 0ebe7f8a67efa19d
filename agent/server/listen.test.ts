import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { Config } from '../config.ts'
import { checkBind, listenAll } from './listen.ts'

test('the mask that keeps others from the socket falls on nothing else that is made meanwhile', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'listen-'))
  const socketPath = path.join(folder, 'agent.sock')
  const usual = process.umask()
  const seen: number[] = []
  // As soon as anyone may connect: what is done to its mode later comes too late.
  const modes: number[] = []
  const create = () =>
    http.createServer().on('listening', () => {
      seen.push(process.umask())
      modes.push(fs.statSync(socketPath).mode & 0o777)
    })
  const config: Partial<Config> = { socketPath, port: undefined, bind: [], allowPublicBind: false }
  const { servers } = await listenAll(config as Config, create)
  expect(seen).toEqual([usual])
  expect(modes).toEqual([0o660])
  expect(fs.statSync(socketPath).mode & 0o777).toBe(0o660)
  for (const server of servers) server.close()
  fs.rmSync(folder, { recursive: true })
})

test('only this machine and a tailnet may be listened on, unless it was said twice', () => {
  const bind = (host: string, allowPublicBind = false) =>
    checkBind({
      bind: [
        { host: '127.0.0.1', port: 1 },
        { host, port: 1 },
      ],
      allowPublicBind,
    } as unknown as Config)
  const own = ['127.0.0.1', '127.8.8.8', '::1']
  const tailnet = ['100.64.0.0', '100.127.255.255', 'fd7a:115c:a1e0::1', 'fd7a:115c:a1e0:ffff::1']
  for (const host of [...own, ...tailnet]) expect(() => bind(host), host).not.toThrow()
  const wildcards = ['0.0.0.0', '::', '::ffff:0.0.0.0', '0', '']
  const others = ['100.63.255.255', '100.128.0.0', '10.0.0.1', '192.168.1.2', '8.8.8.8', '::ffff:10.0.0.1', 'fd7a::1']
  const names = ['localhost', 'box.example', '127.0.0.1.example']
  for (const host of [...wildcards, ...others, ...names]) {
    expect(() => bind(host), host).toThrow('PILOTHOUSE_ALLOW_PUBLIC_BIND=1')
    expect(() => bind(host, true), host).not.toThrow()
  }
})

test('what stands in the place of the socket and is none is left alone', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'listen-'))
  const socketPath = path.join(folder, 'notes.txt')
  fs.writeFileSync(socketPath, 'mine')
  const config = { socketPath, port: undefined, bind: [], allowPublicBind: false } as unknown as Config
  await expect(listenAll(config, () => http.createServer())).rejects.toThrow('is no socket. Move it away')
  expect(fs.readFileSync(socketPath, 'utf8')).toBe('mine')
  fs.rmSync(folder, { recursive: true })
})
