import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { envVars, parseEnvFile, setEnvVar, writeEnvFile } from '../../shared/domain/env-file.ts'

/** Of a shell, which reads such files as well: the variables that it has after it has taken one in. */
function readByShell(text: string): Map<string, string> {
  const { folder, remove } = freshFolder('env')
  const file = path.join(folder, '.env')
  fs.writeFileSync(file, text)
  const out = execFileSync('/bin/sh', ['-c', 'set -a; . "$0"; exec env -0', file], { env: { PATH: '/usr/bin:/bin' } })
  remove()
  const lines = out.toString('utf8').split('\0')
  return new Map(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
}

/** What a shell takes as we do: it knows no \\n in quotes, so that values with both marks and new lines are our own. */
const shared = fc
  .string({ unit: fc.constantFrom(...'a #=$\\"\'`{}[]()<>|&;~!*?^:/%,@+-', '💡', 'é', '\n'), maxLength: 15 })
  .filter((value) => !(value.includes("'") && value.includes('\n')))

test('a shell reads the values that are written as they were meant', () => {
  const values = fc.sample(shared, 400)
  const file = values.reduce(
    (written, value, index) => setEnvVar(written, `V${index}`, value),
    parseEnvFile('# ours\n'),
  )
  const read = readByShell(writeEnvFile(file))
  values.forEach((value, index) => {
    expect([index, read.get(`V${index}`)]).toEqual([index, value])
  })
})

test('lines that people write mean the same to a shell', () => {
  const lines = [
    ...['A=plain', 'export B=1', "C='x # $y'", 'D="q\\"q \\$z"', 'E=#fff', 'F=a#b', 'G=a=b', 'H=', 'I=""'],
    ...['J=two # comment', 'K= # comment', 'L="over', 'lines" # comment', "M=''", 'N=💡'],
  ]
  const text = `${lines.join('\n')}\n`
  const ours = envVars(parseEnvFile(text))
  const read = readByShell(text)
  expect(ours.size).toBe(14)
  for (const [name, value] of ours) expect([name, read.get(name)]).toEqual([name, value])
})
