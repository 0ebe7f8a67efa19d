import fs from 'node:fs'
import path from 'node:path'
import { type AddedMachine, addMachine } from '../rigs/added-machine.ts'
import { type AgentProcess, startAgentProcess } from '../rigs/agent-process.ts'
import { startConsole, type TestConsole } from '../rigs/electron.ts'
import { freshFolder } from '../rigs/folder.ts'
import { freePort } from '../rigs/ports.ts'
import { until } from '../rigs/until.ts'

/** The Logs view of the real console, on a log that the bench writes. */
export interface LogsWindow {
  console: TestConsole
  agent: AgentProcess
  machine: AddedMachine
  /** Writes so many lines at once, and settles when the view has taken them in; gives how long that took. */
  write(lines: number): Promise<number>
  /** The same, taken by a client without a window. */
  read(lines: number): Promise<number>
  /** Writes so many lines a second for a while, as programs do: in small portions. */
  trickle(perSecond: number, seconds: number): Promise<void>
  /** The same; whether the view, or a client in its place, was less than a second behind at the end. */
  sustain(perSecond: number, seconds: number, reader: 'window' | 'client'): Promise<boolean>
  close(): Promise<void>
}

/** AdsPower's log, since that is a file anywhere. */
export async function openLogsWindow(): Promise<LogsWindow> {
  const { folder, remove } = freshFolder('logwin')
  const file = path.join(folder, 'adspower.log')
  fs.writeFileSync(file, '')
  const port = await freePort()
  const agent = await startAgentProcess({ PILOTHOUSE_PORT: String(port), PILOTHOUSE_ADSPOWER_LOGS: file })
  const console = await startConsole()
  const machine = await addMachine(console, { port, secret: agent.secret }, 'bench')
  await showLog(console, machine.id, 'adspower')
  let written = 0
  const append = (lines: number) => {
    const texts: string[] = []
    for (let line = 0; line < lines; line++) texts.push(lineOf(written++))
    fs.appendFileSync(file, texts.join(''))
  }
  const seen = () => until('the last line to be seen', () => shows(console, `job=${written - 1} `), 240_000)
  /** In small portions; those that came too late are made good at once. */
  const pour = async (perSecond: number, seconds: number) => {
    const [began, first] = [performance.now(), written]
    for (let due = 0; due < perSecond * seconds; ) {
      await new Promise((resolve) => setTimeout(resolve, 1000 / portionsPerSecond))
      due = Math.min(seconds, (performance.now() - began) / 1000) * perSecond
      append(Math.round(due) - (written - first))
    }
  }
  const follow = async () => {
    const socket = await agent.client.open('logs')
    let last = ''
    socket.onMessage = (message) => {
      if (message.type === 'logs') last = message.lines.at(-1)?.message ?? last
    }
    socket.send({ type: 'subscribe', service: 'adspower', batch: true })
    // It follows from some moment on, which is not told: a line that arrives shows that it has come.
    await until('a first line', () => {
      if (last === '') append(1)
      return last !== ''
    })
    return { hasLast: () => last.includes(`job=${written - 1} `), close: () => socket.close() }
  }
  return {
    console,
    agent,
    machine,
    async write(lines) {
      const began = performance.now()
      append(lines)
      await seen()
      return performance.now() - began
    },
    async read(lines) {
      const client = await follow()
      const began = performance.now()
      append(lines)
      await until('the last line to be read', () => client.hasLast(), 240_000)
      const ms = performance.now() - began
      client.close()
      // The window reads along; the next turn begins when it has caught up.
      await seen()
      return ms
    },
    async trickle(perSecond, seconds) {
      await pour(perSecond, seconds)
      await seen()
    },
    async sustain(perSecond, seconds, reader) {
      if (reader === 'window') {
        await pour(perSecond, seconds)
        return inTime(() => shows(console, `job=${written - 1} `), seen)
      }
      await goTo(console, '#/fleet')
      const client = await follow()
      await pour(perSecond, seconds)
      const kept = await inTime(client.hasLast, () => until('the last line to be read', client.hasLast, 240_000))
      client.close()
      await goTo(console, `#/machine/${machine.id}/logs`)
      await seen()
      return kept
    },
    async close() {
      await console.stop()
      await machine.stop()
      await agent.stop()
      remove()
    },
  }
}

/** Opens the Logs tab with this service and no other. */
export async function showLog(console: TestConsole, machineId: string, service: string): Promise<void> {
  const { window } = console
  await window.evaluate((id) => {
    location.hash = `#/machine/${id}/logs`
  }, machineId)
  await window.getByTestId('logs-services').click()
  const boxes = window.getByTestId('logs-choices').locator('label')
  const wanted = boxes.filter({ hasText: service }).locator('input')
  await wanted.waitFor()
  // What was chosen by itself comes a moment later.
  await window.waitForTimeout(500)
  for (const box of await boxes.all()) await box.locator('input').setChecked((await box.innerText()).includes(service))
  await window.keyboard.press('Escape')
  await window.getByTestId('logs-choices').waitFor({ state: 'detached' })
}

async function goTo({ window }: TestConsole, hash: string): Promise<void> {
  await window.evaluate((hash) => {
    location.hash = hash
  }, hash)
}

/** Whether it is so within a second; if not, it is waited for all the same. */
async function inTime(isSo: () => boolean | Promise<boolean>, wait: () => Promise<unknown>): Promise<boolean> {
  const began = performance.now()
  while (performance.now() - began < 1000) {
    if (await isSo()) return true
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await wait()
  return false
}

function shows({ window }: TestConsole, text: string): Promise<boolean> {
  return window.evaluate((text) => {
    const rows = [...document.querySelectorAll('[data-testid=log-row]:not([hidden])')]
    return rows.some((row) => row.textContent?.includes(text))
  }, text)
}

const portionsPerSecond = 50
const levels = ['info', 'info', 'info', 'debug', 'warn', 'info', 'error', 'info']

function lineOf(number: number): string {
  const level = levels[number % levels.length]
  // Lines of one moment come in small bursts, as they do.
  const time = new Date(Date.UTC(2026, 0, 1) + (number >> 2)).toISOString()
  return `${time} level=${level} job=${number} step=fill-form field=email took=${number % 977}ms url=https://jobs.example/apply/${number % 311}\n`
}
