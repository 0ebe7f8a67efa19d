import fs from 'node:fs'
import path from 'node:path'
import { addMachine } from '../rigs/added-machine.ts'
import { startAgentProcess } from '../rigs/agent-process.ts'
import { startConsole } from '../rigs/electron.ts'
import { freshFolder } from '../rigs/folder.ts'
import { freePort } from '../rigs/ports.ts'
import { until } from '../rigs/until.ts'
import { startEmptyPage } from './empty-page.ts'

const outputLine =
  '2026-01-01T00:00:00Z \u001b[32minfo\u001b[0m job=4711 step=fill-form field=email took=12ms \u001b[1mok\u001b[0m\n'

/** So many megabytes of a program's coloured output. */
export function terminalOutputText(megabytes: number): string {
  return outputLine.repeat(Math.ceil((megabytes * 1e6) / outputLine.length))
}

/** A shell in the console's Terminal tab, on an agent in a process of its own. */
export async function openTerminalWindow(megabytes: number) {
  const { folder, remove } = freshFolder('termwin')
  const file = path.join(folder, 'output')
  fs.writeFileSync(file, terminalOutputText(megabytes))
  const port = await freePort()
  const agent = await startAgentProcess({ PILOTHOUSE_PORT: String(port), PILOTHOUSE_SHELL: '/bin/sh' })
  const console = await startConsole()
  const { window } = console
  const machine = await addMachine(console, { port, secret: agent.secret }, 'bench')
  await window.evaluate((id) => {
    location.hash = `#/machine/${id}/terminal`
  }, machine.id)
  await window.locator('[data-testid=terminal][data-phase=open]').waitFor()
  await window.locator('[data-testid=terminal] .xterm-screen').click()
  const type = async (text: string) => {
    await window.keyboard.insertText(text)
    await window.keyboard.press('Enter')
  }
  let turn = 0
  return {
    console,
    /** Columns and rows, as the shell was told. */
    async size() {
      await type(`stty size > ${folder}/size`)
      const text = await until('the size', () => /^(\d+) (\d+)\n$/.exec(fs.readFileSync(`${folder}/size`, 'utf8')))
      return { cols: Number(text?.[2]), rows: Number(text?.[1]) }
    },
    /** Lets the shell write all of it; settles when the screen has taken it in, and gives how long that took. */
    async flood(): Promise<number> {
      const title = `done-${++turn}`
      await window.keyboard.insertText(`cat ${file}; printf '\\033]2;done-%d\\007' ${turn}`)
      // The title is the last thing that xterm gets to read.
      const seen = window.waitForFunction(
        (title) => document.querySelector(`button[title="${title}"]`) !== null,
        title,
        { polling: 'raf', timeout: 120_000 },
      )
      const began = performance.now()
      await window.keyboard.press('Enter')
      await seen
      return performance.now() - began
    },
    async close() {
      await console.stop()
      await machine.stop()
      await agent.stop()
      remove()
    },
  }
}

/** xterm with nothing around it, in an empty page of the same Electron, drawing as the console's does. */
export async function openXtermAlone(size: { cols: number; rows: number }, megabytes: number) {
  const { build } = await import('esbuild')
  const source = `
    import { Terminal } from '@xterm/xterm'
    import { WebglAddon } from '@xterm/addon-webgl'
    Object.assign(globalThis, { Terminal, WebglAddon })`
  const bundle = await build({
    stdin: { contents: source, resolveDir: import.meta.dirname, loader: 'ts' },
    ...{ bundle: true, write: false, format: 'iife', platform: 'browser', minify: true, logLevel: 'silent' },
  })
  const css = fs.readFileSync(path.join(import.meta.dirname, '../../node_modules/@xterm/xterm/css/xterm.css'), 'utf8')
  const empty = await startEmptyPage()
  await empty.page.addStyleTag({ content: css })
  await empty.page.addScriptTag({ content: bundle.outputFiles[0]?.text ?? '' })
  await empty.page.evaluate(
    ({ size, line, megabytes }) => {
      const place = document.createElement('div')
      document.body.replaceChildren(place)
      const { Terminal, WebglAddon } = globalThis as unknown as XtermGlobals
      const terminal = new Terminal({
        ...size,
        scrollback: 10_000,
        fontSize: 13,
        lineHeight: 1.2,
        allowProposedApi: true,
      })
      terminal.open(place)
      try {
        terminal.loadAddon(new WebglAddon())
      } catch {
        // Without graphics it draws with elements, as the console's does here.
      }
      const bytes = new TextEncoder().encode(
        line.replaceAll('\n', '\r\n').repeat(Math.ceil((megabytes * 1e6) / line.length)),
      )
      Object.assign(globalThis, {
        async flood() {
          const began = performance.now()
          // All at once: whoever waits for each piece waits for a timer as well, and measures that.
          await new Promise<void>((resolve) => {
            for (let at = 0; at < bytes.length; at += 65_536) {
              const isLast = at + 65_536 >= bytes.length
              terminal.write(bytes.subarray(at, at + 65_536), isLast ? resolve : undefined)
            }
          })
          return performance.now() - began
        },
      })
    },
    { size, line: outputLine, megabytes },
  )
  return { flood: () => empty.page.evaluate<number>('flood()'), stop: empty.stop }
}

interface XtermGlobals {
  Terminal: new (
    options: object,
  ) => {
    open(place: HTMLElement): void
    loadAddon(addon: object): void
    write(bytes: Uint8Array, taken?: () => void): void
  }
  WebglAddon: new () => object
}
