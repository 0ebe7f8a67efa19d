import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addCounts, countsAfterSecondTry, failedFiles, failures, readCounts, summary } from './test-report.mjs'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pilothouse-report-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function report(
  failedTests: number,
  files: { name?: string; status: string; message?: string; assertionResults: object[] }[],
) {
  const file = join(folder, 'report.json')
  const numbers = { numPassedTests: 3, numFailedTests: failedTests, numPendingTests: 1, numTodoTests: 1 }
  writeFileSync(file, JSON.stringify({ ...numbers, testResults: files }))
  return file
}

test('counts what passed, failed and was skipped', () => {
  const file = report(1, [{ status: 'failed', assertionResults: [{ status: 'failed' }, { status: 'passed' }] }])
  expect(readCounts(file, 1)).toEqual({ passed: 3, failed: 1, skipped: 2 })
})

test('a file that could not be loaded is a failure', () => {
  const file = report(0, [{ status: 'failed', assertionResults: [] }])
  expect(readCounts(file, 1)).toEqual({ passed: 3, failed: 1, skipped: 2 })
})

test('an error outside any test, or a crash without a report, is a failure', () => {
  expect(readCounts(report(0, [{ status: 'passed', assertionResults: [] }]), 1).failed).toBe(1)
  expect(readCounts(join(folder, 'absent.json'), 0)).toEqual({ passed: 0, failed: 1, skipped: 0 })
})

test('adds projects up into the last line', () => {
  const counts = addCounts([
    { passed: 1, failed: 0, skipped: 2 },
    { passed: 10, failed: 3, skipped: 0 },
  ])
  expect(summary(counts)).toBe('11 passed, 3 failed, 2 skipped')
})

test('of a file that ran once more only the second results count', () => {
  const results = (...statuses: string[]) => statuses.map((status) => ({ status }))
  const first = report(1, [
    { name: 'steady', status: 'passed', assertionResults: results('passed', 'passed', 'skipped') },
    { name: 'stumbled', status: 'failed', assertionResults: results('passed', 'failed', 'skipped') },
  ])
  expect(failedFiles(first)).toEqual(['stumbled'])
  const again = { passed: 2, failed: 1, skipped: 0 }
  expect(countsAfterSecondTry(first, ['stumbled'], again)).toEqual({ passed: 4, failed: 1, skipped: 1 })
  expect(failedFiles(join(folder, 'absent.json'))).toEqual([])
})

test('what failed is told by its name and the beginning of its message', () => {
  const file = report(1, [
    { name: 'fine', status: 'passed', assertionResults: [{ status: 'passed', fullName: 'works' }] },
    {
      name: 'stumbled',
      status: 'failed',
      assertionResults: [
        { status: 'failed', fullName: 'holds', failureMessages: ['expected 1 to be 2\n  at a place'] },
        { status: 'passed', fullName: 'works' },
      ],
    },
    { name: 'broken', status: 'failed', message: 'cannot be loaded', assertionResults: [] },
  ])
  expect(failures(file)).toEqual([
    'stumbled > holds\n    expected 1 to be 2\n      at a place',
    'broken > the file as a whole\n    cannot be loaded',
  ])
  expect(failures(join(folder, 'absent.json'))).toHaveLength(1)
})
