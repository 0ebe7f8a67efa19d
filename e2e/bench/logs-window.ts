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
      const socket = await agent.client.open('logs')
      const last = Promise.withResolvers<void>()
      let heard = false
      let began = 0
      socket.onMessage = (message) => {
        if (message.type !== 'logs') return
        heard = true
        if (began > 0 && message.lines.at(-1)?.message.includes(`job=${written - 1} `)) last.resolve()
      }
      socket.send({ type: 'subscribe', service: 'adspower', batch: true })
      // It follows from some moment on, which is not told: a line that arrives shows that it has come.
      await until('a first line', () => {
        if (!heard) append(1)
        return heard
      })
      began = performance.now()
      append(lines)
      await last.promise
      const ms = performance.now() - began
      socket.close()
      // The window reads along; the next turn begins when it has caught up.
      await seen()
      return ms
    },
    async trickle(perSecond, seconds) {
      const portions = 50
      for (let portion = 0; portion < portions * seconds; portion++) {
        append(perSecond / portions)
        await new Promise((resolve) => setTimeout(resolve, 1000 / portions))
      }
      await seen()
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

function shows({ window }: TestConsole, text: string): Promise<boolean> {
  return window.evaluate((text) => {
    const rows = [...document.querySelectorAll('[data-testid=log-row]:not([hidden])')]
    return rows.some((row) => row.textContent?.includes(text))
  }, text)
}

const levels = ['info', 'info', 'info', 'debug', 'warn', 'info', 'error', 'info']

function lineOf(number: number): string {
  const level = levels[number % levels.length]
  // Lines of one moment come in small bursts, as they do.
  const time = new Date(Date.UTC(2026, 0, 1) + (number >> 2)).toISOString()
  return `${time} level=${level} job=${number} step=fill-form field=email took=${number % 977}ms url=https://jobs.example/apply/${number % 311}\n`
}
