import { existsSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { builtConsole, nodeProgram, projectRoot } from './rigs/built.ts'
import { freshFolder } from './rigs/folder.ts'
import { markedProcesses, processTree } from './rigs/processes.ts'
import { startProgram } from './rigs/program.ts'
import { listeningSockets } from './rigs/sockets.ts'
import { startXvfb } from './rigs/xvfb.ts'

/** Without a driver, so without a driver's ports: the console takes a picture of its live view by itself. */
test('from its start to its end the console listens on nothing', async () => {
  const electron = await builtConsole()
  const xvfb = await startXvfb()
  const { folder, remove } = freshFolder('quiet')
  const picture = path.join(folder, 'live.png')
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const app = await startProgram(electron, [...sandbox, projectRoot, `--screenshot=${picture}`], {
    env: {
      ...process.env,
      ...xvfb.env,
      PILOTHOUSE_USER_DATA: path.join(folder, 'data'),
      PILOTHOUSE_NODE: nodeProgram,
      TMPDIR: folder,
    },
  })
  try {
    const found = new Set<string>()
    const seen = new Set<string>()
    while (app.exitCode === undefined) {
      const tree = processTree(app.pid)
      for (const { command } of tree) seen.add(/--type=(\w+)/.exec(command)?.[1] ?? 'main')
      const outside = markedProcesses(path.basename(folder)).filter(({ pid }) => !tree.some((own) => own.pid === pid))
      for (const { name } of outside) seen.add(name)
      for (const { kind, address } of listeningSockets(tree.map(({ pid }) => pid))) found.add(`${kind} ${address}`)
      await sleep(50)
    }
    expect(app.exitCode, app.output()).toBe(0)
    expect(existsSync(picture)).toBe(true)
    // Otherwise nothing worth looking at was looked at.
    expect([...seen]).toEqual(expect.arrayContaining(['main', 'renderer', 'gpu', 'utility', 'Xvnc', 'chromium']))
    // The lock by which Chromium finds a second instance is Chromium's, in a folder only this user can enter.
    expect([...found].filter((socket) => !/^unix .*\/SingletonSocket$/.test(socket))).toEqual([])
  } finally {
    await app.end()
    await xvfb.stop()
    remove()
  }
}, 120_000)
