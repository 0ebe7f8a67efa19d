import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { expect, test } from 'vitest'
import WebSocket from 'ws'
import { startAgentProcess } from '../../e2e/rigs/agent-process.ts'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { processTree } from '../../e2e/rigs/processes.ts'
import { until } from '../../e2e/rigs/until.ts'

const canary = 'canary-0123456789-abcdefghijklmnopqrstuvwxyz'

test('a secret in the configuration, the env file, headers and bodies turns up nowhere else', async () => {
  const { folder, remove } = freshFolder('canary')
  const envFile = path.join(folder, '.env')
  const reports = path.join(folder, 'reports')
  const answers: string[] = []
  fs.mkdirSync(reports)
  fs.writeFileSync(envFile, `API_TOKEN=${canary}-file\n`)
  const agent = await startAgentProcess({
    PILOTHOUSE_SECRET: `${canary}-secret`,
    PILOTHOUSE_ENV_FILE: envFile,
    PILOTHOUSE_LLM_KEY: `${canary}-llm`,
    OPENAI_API_KEY: `${canary}-openai`,
    PILOTHOUSE_ADSPOWER_KEY: `${canary}-adspower`,
    PILOTHOUSE_FLEET_SALT: `${canary}-salt`,
    PILOTHOUSE_SHELL: '/bin/sh',
    DOCKER_HOST: 'unix:///nowhere.sock',
    NODE_OPTIONS: `--report-on-signal --report-directory=${reports}`,
  })
  const ask = (method: string, url: string, headers: Record<string, string>, body?: string) =>
    new Promise<number>((resolve, reject) => {
      const options = { socketPath: agent.socketPath, method, path: url, agent: false }
      const request = http.request({ ...options, headers: { host: 'localhost', ...headers } }, (response) => {
        let text = JSON.stringify(response.headers)
        response.on('data', (chunk: Buffer) => {
          text += String(chunk)
        })
        response.on('end', () => {
          answers.push(text)
          resolve(response.statusCode ?? 0)
        })
      })
      request.on('error', reject)
      request.end(body)
    })
  const known = { authorization: `Bearer ${canary}-secret`, 'content-type': 'application/json' }
  const post = (url: string, body: unknown) =>
    ask('POST', url, known, typeof body === 'string' ? body : JSON.stringify(body))

  try {
    // Headers, right and wrong, and a URL that should not have it.
    expect(await ask('GET', '/status', known)).toBe(200)
    expect(await ask('GET', '/status', { authorization: `Bearer ${canary}-wrong` })).toBe(401)
    expect(await ask('GET', '/status', { authorization: `Basic ${canary}` })).toBe(401)
    expect(await ask('GET', '/status', { 'x-deploy-secret': `${canary}-wrong`, cookie: `a=${canary}` })).toBe(401)
    expect(await ask('GET', `/status?token=${canary}-secret`, {})).toBe(401)
    expect(await ask('GET', '/status', { ...known, origin: `https://${canary}.example` })).toBe(403)
    expect(await ask('GET', '/status', { ...known, host: `${canary}.example` })).toBe(403)
    // Bodies that are taken, refused, wrong in their shape, and no JSON at all.
    expect(await post('/env', { vars: { OTHER_SECRET: `${canary}-body`, PLAIN: 'x' } })).toBe(200)
    expect(await post('/env', { vars: { OTHER_SECRET: [`${canary}-body`] } })).toBe(400)
    expect(await post('/env', `{"vars":{"OTHER_SECRET":"${canary}-body"`)).toBe(400)
    expect(await post('/env', `${canary}-body`)).toBe(400)
    expect(await post('/rotate-secret', { current: `${canary}-wrong`, next: `${canary}-next` })).toBe(403)
    expect(await post('/rotate-secret', { current: `${canary}-secret`, next: `${canary} nö` })).toBe(400)
    expect(await post('/workers/start', { envOverrides: { MY_PASSWORD: `${canary}-worker` } })).toBe(424)
    expect(await post('/exec', { command: `true --password=${canary}-exec` })).toBe(200)
    expect(await post('/exec', { command: `no-such-program --token ${canary}-exec` })).toBe(404)
    expect(await post('/env/API_TOKEN/reveal', { reason: 'incident' })).toBe(403)
    expect(await ask('GET', '/env', known)).toBe(200)
    expect(await ask('GET', '/audit', known)).toBe(200)
    expect(await ask('GET', '/metrics', {})).toBe(200)
    // What it starts, and what people start through it.
    expect(await post('/exec', { command: 'env' })).toBe(200)
    const url = `ws+unix://${agent.socketPath}:/ws/terminal`
    const socket = new WebSocket(url, { headers: { ...known, host: 'localhost' } })
    const said: Buffer[] = []
    socket.on('message', (data: Buffer) => void said.push(data))
    await new Promise((resolve) => socket.once('open', resolve))
    socket.send(Buffer.from('env; echo the""-end\r'))
    await until('its output', () => Buffer.concat(said).includes('the-end'))
    answers.push(Buffer.concat(said).toString('utf8'))
    for (const { pid, command } of processTree(agent.pid)) {
      answers.push(command)
      if (pid !== agent.pid) answers.push(fs.readFileSync(`/proc/${pid}/environ`, 'latin1'))
    }
    socket.close()
    // What Node writes down of a process that is in trouble.
    process.kill(agent.pid, 'SIGUSR2')
    const report = await until('the report', () => fs.readdirSync(reports)[0])
    await until('all of it', () => {
      const text = fs.readFileSync(path.join(reports, report), 'utf8')
      return text.trimEnd().endsWith('}') && answers.push(text)
    })
    expect(fs.readFileSync(envFile, 'utf8')).toContain(`${canary}-body`)
    expect(answers.filter((text) => text.includes('canary'))).toEqual([])
    expect(agent.program.output()).not.toContain('canary')
    await agent.client.close()
    process.kill(agent.pid, 'SIGTERM')
    await until('its end', () => agent.program.exitCode !== undefined)
    expect(agent.program.output()).not.toContain('canary')
    const kept = fs.readdirSync(agent.dataDir, { recursive: true, encoding: 'utf8' })
    expect(kept).toContain('audit.db')
    for (const name of kept) {
      const file = path.join(agent.dataDir, name)
      if (fs.statSync(file).isFile()) expect([name, fs.readFileSync(file).includes('canary')]).toEqual([name, false])
    }
  } finally {
    await agent.stop()
    remove()
  }
})
