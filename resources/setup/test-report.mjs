// @ts-check
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/**
 * What one Vitest run came to. A file that could not be loaded, a crash, or an error outside any test has no failed
 * test in the report; it must still count as a failure.
 * @param {string} file  of Vitest's JSON reporter
 * @param {number} exitCode
 * @returns {Counts}
 */
export function readCounts(file, exitCode) {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'))
    counts.passed = report.numPassedTests
    counts.skipped = report.numPendingTests + report.numTodoTests
    counts.failed = report.numFailedTests + report.testResults.filter(failedAsAWhole).length
  } catch {
    counts.failed = 1
  }
  if (exitCode !== 0 && counts.failed === 0) counts.failed = 1
  return counts
}

/**
 * The files in which something failed.
 * @param {string} file  of Vitest's JSON reporter
 * @returns {string[]}
 */
export function failedFiles(file) {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'))
    return report.testResults
      .filter((/** @type {{ status: string }} */ { status }) => status === 'failed')
      .map((/** @type {{ name: string }} */ { name }) => name)
  } catch {
    return []
  }
}

/**
 * What failed, in words: the test and how its message begins. They stand at the end of everything, where somebody who
 * was given only the end of the output finds them.
 * @param {string} file  of Vitest's JSON reporter
 * @returns {string[]}
 */
export function failures(file) {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'))
    return report.testResults.flatMap((/** @type {FileResult} */ result) => {
      const tests = result.assertionResults.filter(({ status }) => status === 'failed')
      if (tests.length > 0) return tests.map((test) => told(result.name, test.fullName, test.failureMessages?.[0]))
      return result.status === 'failed' ? [told(result.name, 'the file as a whole', result.message)] : []
    })
  } catch {
    return [`${file}: no report was left`]
  }
}

/** @typedef {{ status: string, fullName?: string, failureMessages?: string[] }} TestResult */
/** @typedef {{ name: string, status: string, message?: string, assertionResults: TestResult[] }} FileResult */

/** @param {string} file @param {string | undefined} test @param {string | undefined} message */
function told(file, test, message) {
  const begin = (message ?? '').split('\n').slice(0, 8).join('\n    ').slice(0, 1200)
  return `${relative(process.cwd(), file)} > ${test}\n    ${begin}`
}

/**
 * What a run came to after its failed files ran once more: their first results no longer count.
 * @param {string} first
 * @param {string[]} again  the files that ran once more
 * @param {Counts} second  what they came to then
 * @returns {Counts}
 */
export function countsAfterSecondTry(first, again, second) {
  const report = JSON.parse(readFileSync(first, 'utf8'))
  const counts = { ...second }
  for (const { name, assertionResults } of report.testResults) {
    if (again.includes(name)) continue
    for (const { status } of assertionResults) {
      if (status === 'passed') counts.passed++
      else counts.skipped++
    }
  }
  return counts
}

/** @param {{ status: string, assertionResults: { status: string }[] }} file */
const failedAsAWhole = (file) =>
  file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed')

/** @param {Counts[]} all @returns {Counts} */
export function addCounts(all) {
  return all.reduce(
    (sum, one) => ({
      passed: sum.passed + one.passed,
      failed: sum.failed + one.failed,
      skipped: sum.skipped + one.skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  )
}

/** @param {Counts} counts */
export const summary = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`
