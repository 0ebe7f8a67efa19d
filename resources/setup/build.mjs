// @ts-check
import { existsSync, readdirSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { agentBundle } from './build-agent.mjs'
import { runScript, SetupFailure } from './failure.mjs'
import { licencesFile, writeLicences } from './licences.mjs'
import { withLock } from './lock.mjs'
import { inRoot, root } from './paths.mjs'
import { prepare, setupLock } from './prepare.mjs'
import { step } from './progress.mjs'
import { run } from './run.mjs'
import { hashTree, matchesStamp, writeStamp } from './stamp.mjs'

const outputs = [inRoot('out', 'main', 'main.cjs'), inRoot('out', 'preload'), inRoot('out', 'renderer')]

/**
 * Builds the console and the agent, unless nothing they are made of has changed.
 * @param {import('./prepare.mjs').Prepared} prepared
 * @param {{ evenIfCurrent?: boolean }} [options]
 */
export function build(prepared, { evenIfCurrent = false } = {}) {
  return withLock(setupLock, async () => {
    await buildPart('Build of the agent', [agentBundle], agentInputs, evenIfCurrent, () =>
      execute(prepared, [inRoot('resources', 'setup', 'build-agent.mjs')]),
    )
    await buildPart('Build of the console', outputs, consoleInputs(), evenIfCurrent, () =>
      execute(prepared, [inRoot('node_modules', 'electron-vite', 'bin', 'electron-vite.js'), 'build']),
    )
    await buildPart('List of the licences', [licencesFile], licencesInputs, evenIfCurrent, async () => writeLicences())
  })
}

const agentInputs = ['shared', 'agent', 'tsconfig.json', 'package-lock.json', 'resources/setup/build-agent.mjs']

const licencesInputs = ['shared', 'electron', 'renderer', 'agent', 'package-lock.json', 'resources/setup/licences.mjs']

const consoleInputs = () => [
  ...['shared', 'electron', 'renderer', 'resources/icons', 'tsconfig.json', 'package-lock.json'],
  ...readdirSync(root).filter((name) => name.endsWith('.ts') && name !== 'vitest.config.ts'),
]

/**
 * @param {string} label
 * @param {string[]} made
 * @param {string[]} inputs
 * @param {boolean} evenIfCurrent
 * @param {() => Promise<void>} work
 */
async function buildPart(label, made, inputs, evenIfCurrent, work) {
  const stampFile = inRoot('out', `.${label.split(' ').at(-1)}-inputs`)
  // Before the build: a file saved while it runs must make the next one build again.
  const stamp = hashTree(root, inputs, (path) => !/\.i?test\.tsx?$/.test(path))
  await step(label, async (say) => {
    if (!evenIfCurrent && made.every((path) => existsSync(path)) && matchesStamp(stampFile, stamp)) {
      return say('up to date')
    }
    await work()
    const absent = made.filter((path) => !existsSync(path))
    if (absent.length > 0) throw new SetupFailure(`The build ended well but did not make ${absent.join(', ')}.`)
    writeStamp(stampFile, stamp)
  })
}

/** @param {import('./prepare.mjs').Prepared} prepared @param {string[]} args */
async function execute({ node, env, electron }, args) {
  const { code, output } = await run(node, args, { cwd: root, env: { ...env, ELECTRON_EXEC_PATH: electron.program } })
  if (code !== 0) throw new SetupFailure('The build failed.', { output })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await runScript(async () => build(await prepare({ for: 'start' }), { evenIfCurrent: true }))
}
