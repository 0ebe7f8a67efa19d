// @ts-check
import { randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runScript, SetupFailure } from './failure.mjs'
import { inRoot, root } from './paths.mjs'

const require = createRequire(import.meta.url)

export const agentBundle = inRoot('out', 'agent', 'pilothouse-agent.mjs')

/**
 * Packages with native parts, or that others load only if they are there. They cannot be inside one JavaScript file;
 * the agent finds them beside it, or does without.
 */
const external = [
  '*.node',
  '@browserbasehq/stagehand',
  '@hatchet-dev/typescript-sdk',
  '@lydell/node-pty',
  '@napi-rs/keyring',
  'better-sqlite3',
  'chromium-bidi',
  'cpu-features',
  'fsevents',
  'magnitude-core',
  'node-pty',
]

/** Loaded by packages we use, for parts of them that we do not. */
const leftOut = ['@grpc/grpc-js', '@grpc/proto-loader', 'protobufjs', 'ssh2']

/** What ws would look for beside the agent at each start: Node itself does both well enough. */
const withoutAddons = { 'process.env.WS_NO_BUFFER_UTIL': '"1"', 'process.env.WS_NO_UTF_8_VALIDATE': '"1"' }

/** CommonJS packages inside an ES module still expect these three. */
const commonJsNames = `import { createRequire as __createRequire } from 'node:module'
import { fileURLToPath as __fileURLToPath } from 'node:url'
const require = __createRequire(import.meta.url)
const __filename = __fileURLToPath(import.meta.url)
const __dirname = __fileURLToPath(new URL('.', import.meta.url))`

/**
 * What runs in a thread of its own is started from its text, since the agent is one file.
 * @type {import('esbuild').Plugin}
 */
const threadsAsText = {
  name: 'threads-as-text',
  setup(build) {
    build.onLoad({ filter: /[/\\]pages[/\\]markdown-code\.ts$/ }, async ({ path }) => {
      const thread = path.replace('markdown-code', 'markdown-thread')
      const made = await build.esbuild.build({
        ...{ entryPoints: [thread], write: false, bundle: true, minify: true },
        ...{ platform: 'node', format: 'cjs', target: 'node22', logLevel: 'silent' },
      })
      return { contents: `export const markdownCode = ${JSON.stringify(made.outputFiles[0]?.text)}` }
    })
  },
}

/**
 * Some of Node's modules weigh as much as the whole agent's code, and most agents never use them: each is read with the
 * first thing that is taken from it.
 * @type {import('esbuild').Plugin}
 */
export const readLate = {
  name: 'read-late',
  setup(build) {
    build.onResolve({ filter: /^(node:)?(https|tls|zlib|worker_threads|dns)$/ }, ({ path, namespace }) =>
      namespace === 'late' ? { path, external: true } : { path, namespace: 'late' },
    )
    // `import { name }` is looked for among the names that the module says it has: those stand there from the start.
    build.onLoad({ filter: /.*/, namespace: 'late' }, ({ path }) => ({
      contents: `const names = ${JSON.stringify(Object.keys(require(path)).join(' '))}.split(' ')
const late = { get: (_, name) => (name === '__esModule' ? undefined : require(${JSON.stringify(path)})[name]) }
module.exports = new Proxy(Object.fromEntries(names.map((name) => [name])), late)`,
    }))
  },
}

/**
 * What a start costs is mostly the reading of code, so there is less of it. Measured: a third of the start, and 14 MB.
 * @type {import('esbuild').Plugin}
 */
const quickStart = {
  name: 'quick-start',
  setup(build) {
    // `import` of node:http makes Node look at every export of it, one of which loads the whole of its fetch. So each
    // of Node's modules is asked for exactly what our code takes from it.
    const used = namesFromNode()
    build.onResolve({ filter: /^node:/ }, ({ path, namespace, importer, kind }) => {
      if (namespace === 'builtin' || kind === 'dynamic-import') return { path, external: true }
      return importer.includes(`${sep}node_modules${sep}`) ? undefined : { path, namespace: 'builtin' }
    })
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `const whole = require(${JSON.stringify(path)})
export default whole
export const { ${[...(used.get(path) ?? [])].join(', ')} } = whole`,
    }))
    // `z` as a namespace lets go of what is not used; as an object it carries forty languages along.
    build.onLoad({ filter: /\.ts$/ }, ({ path }) =>
      path.includes(`${sep}node_modules${sep}`)
        ? undefined
        : {
            contents: readFileSync(path, 'utf8').replace("import { z } from 'zod'", "import * as z from 'zod'"),
            loader: 'ts',
          },
    )
    build.onLoad({ filter: /node_modules.*\.[cm]?js$/ }, async ({ path }) => {
      const shrunk = await build.esbuild.transform(readFileSync(path, 'utf8'), { minify: true })
      return { contents: shrunk.code }
    })
  },
}

/** Which names the agent's sources import from each of Node's modules; one that is missed makes the build fail. */
function namesFromNode() {
  /** @type {Map<string, Set<string>>} */
  const used = new Map()
  for (const folder of ['agent', 'shared']) {
    for (const name of readdirSync(inRoot(folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue
      const text = readFileSync(inRoot(folder, name), 'utf8')
      for (const [, names = '', path = ''] of text.matchAll(/^import [^'{]*\{([^}]*)\} from '(node:[^']+)'/gm)) {
        const known = used.get(path) ?? new Set()
        used.set(path, known)
        for (const one of names.split(',')) {
          const [taken = ''] = one.trim().split(' as ')
          if (/^\w+$/.test(taken)) known.add(taken)
        }
      }
    }
  }
  return used
}

/** Bundles the agent into one file that any Node of 22 or newer runs. */
export async function buildAgent() {
  const { build } = await import('esbuild')
  const result = await build({
    absWorkingDir: root,
    entryPoints: ['agent/main.ts'],
    outfile: agentBundle,
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    // Our own names stay, so that a stack trace from a machine can be read.
    minifySyntax: true,
    minifyWhitespace: true,
    plugins: [threadsAsText, readLate, quickStart],
    banner: { js: commonJsNames },
    external,
    define: withoutAddons,
    alias: Object.fromEntries(leftOut.map((name) => [name, inRoot('resources', 'setup', 'left-out.cjs')])),
    logLevel: 'silent',
  }).catch((error) => {
    throw new SetupFailure('The agent could not be bundled.', { output: error.message })
  })
  const code = result.outputFiles[0]?.text ?? ''
  mkdirSync(dirname(agentBundle), { recursive: true })
  // Moved into place: an agent that starts meanwhile reads the old file or the new one, never half of one. Two builds at
  // once each have a file of their own.
  const fresh = `${agentBundle}.${randomUUID()}`
  writeFileSync(fresh, code.startsWith('#!') ? code : `#!/usr/bin/env node\n${code}`)
  chmodSync(fresh, 0o755)
  renameSync(fresh, agentBundle)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await runScript(buildAgent)
