// @ts-check
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { build } from './build.mjs'
import { describe, runScript, SetupFailure } from './failure.mjs'
import { inRoot, root } from './paths.mjs'
import { prepare } from './prepare.mjs'
import { elapsed, step } from './progress.mjs'
import { run, runAttached } from './run.mjs'
import { planTests, testFiles, usage } from './test-args.mjs'
import { addCounts, countsAfterSecondTry, failedFiles, failures, readCounts, summary } from './test-report.mjs'

const tsc = inRoot('node_modules', 'typescript', 'bin', 'tsc')
const biome = inRoot('node_modules', '@biomejs', 'biome', 'bin', 'biome')
const vitest = inRoot('node_modules', 'vitest', 'vitest.mjs')

/** Failures outside the tests (set-up, types, lint, build) count as one, so that the last line never looks green. */
const notRun = { passed: 0, failed: 1, skipped: 0 }

/** More failed files than this are no stumble. */
const mostStumbles = 5

await runScript(async () => {
  const plan = planTests(process.argv.slice(2), testFiles(root))
  if (plan.help) return console.log(usage)
  try {
    const prepared = await prepare({ for: 'test' })
    if (plan.everything) {
      await check('Types', prepared, [tsc, '-p', '.'], 'mend what it names')
      await check('Lint and format', prepared, [biome, 'ci', '.'], 'run `npm run format`, then mend what remains')
    }
    if (plan.projects.some((project) => project !== 'unit')) await build(prepared)
    const counts = await runProjects(prepared, plan)
    console.log(`\n${summary(counts)}`)
    return counts.failed > 0 ? 1 : 0
  } catch (error) {
    console.error(describe(error))
    console.log(`\nThe tests did not run.\n${summary(notRun)}`)
    return 1
  }
})

/**
 * @param {string} label
 * @param {import('./prepare.mjs').Prepared} prepared
 * @param {string[]} args
 * @param {string} next
 */
function check(label, { node, env }, args, next) {
  return step(label, async () => {
    const { code, output } = await run(node, args, { cwd: root, env })
    if (code !== 0) throw new SetupFailure(`${label}: not right.`, { output, next })
  })
}

/**
 * Every project runs, whatever became of the one before.
 * @param {import('./prepare.mjs').Prepared} prepared
 * @param {import('./test-args.mjs').TestPlan} plan
 */
async function runProjects({ node, env }, plan) {
  const folder = mkdtempSync(join(tmpdir(), 'pilothouse-test-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const all = []
  /** @type {string[]} */
  const told = []
  for (const project of plan.projects) {
    const began = performance.now()
    console.log(`\n… Tests: ${project}`)
    const once = (/** @type {string} */ report, /** @type {string[]} */ files) =>
      runAttached(
        node,
        [
          ...[vitest, 'run', '--project', project, '--passWithNoTests', ...files],
          ...['--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
        ],
        { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] },
      )
    const { counts, report } = await withSecondTry(join(folder, project), once, plan.vitestArgs)
    all.push(counts)
    if (counts.failed > 0) told.push(...failures(report))
    const mark = counts.failed > 0 ? '✗' : '✓'
    console.log(`${mark} Tests: ${project} · ${summary(counts)}  ${elapsed(performance.now() - began)}`)
  }
  for (const failure of told) console.log(`\n✗ ${failure}`)
  const sum = addCounts(all)
  if (!plan.everything && sum.passed + sum.failed === 0) {
    console.log('\nNothing ran: no test has that path or name.')
    return { ...sum, failed: 1 }
  }
  return sum
}

/**
 * Real servers, containers and browsers stumble now and then on a shared machine, and so does whatever waits a moment
 * on purpose. A file that failed runs once more, from its start and alone; what failed twice has failed, and what passed
 * then is named as unsteady.
 * @param {string} place  where reports go, without an ending
 * @param {(report: string, files: string[]) => Promise<number>} runOnce
 * @param {string[]} chosen
 */
async function withSecondTry(place, runOnce, chosen) {
  const first = `${place}.json`
  const code = await runOnce(first, chosen)
  const counts = readCounts(first, code)
  const failed = failedFiles(first)
  if (failed.length === 0 || failed.length > mostStumbles) return { counts, report: first }
  console.log(`\n… Once more, alone: ${failed.map((file) => relative(root, file)).join(', ')}`)
  const second = `${place}-again.json`
  const again = readCounts(second, await runOnce(second, failed))
  const unsteady = failed.filter((file) => !failedFiles(second).includes(file))
  for (const file of unsteady) console.log(`! Unsteady: ${relative(root, file)} failed, and passed when run again`)
  return { counts: countsAfterSecondTry(first, failed, again), report: second }
}
