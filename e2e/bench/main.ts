import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type Finding, measure } from './bench.ts'
import { benches } from './benches.ts'
import { choose } from './choose.ts'
import { table } from './table.ts'

const usage = `Usage: npm run bench -- [options]

  --only NAMES  benches by name, or by the first word of their names, with commas between
  --json FILE   write what was found as JSON
  --list        only say which there are
  --help        this text
`

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      json: { type: 'string' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(usage)
    return 0
  }
  const chosen = choose(benches, values.only)
  if (values.list) {
    process.stdout.write(chosen.map(({ name, against, target }) => `${name}  ${target.text} ${against}\n`).join(''))
    return 0
  }
  const findings: Finding[] = []
  const failures: string[] = []
  for (const bench of chosen) {
    try {
      const found = await measure(bench, (round, of) => progress(`${bench.name} ${round}/${of}`))
      findings.push(found)
      // In a log each is told when it is known: a run that is cut short was not for nothing.
      if (!process.stderr.isTTY)
        process.stderr.write(`${found.name} ${found.ours} against ${found.yardstick} ${found.unit}\n`)
    } catch (error) {
      // The others still have something to say.
      failures.push(`${bench.name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  progress('')
  process.stdout.write(`${table(findings)}\n`)
  for (const failure of failures) process.stderr.write(`✗ ${failure}\n`)
  if (values.json !== undefined) {
    // npm runs this in the project's folder; a relative file is meant from where the person is.
    const file = path.resolve(process.env['INIT_CWD'] ?? process.cwd(), values.json)
    writeFileSync(file, `${JSON.stringify(findings, null, 2)}\n`)
  }
  return failures.length > 0 ? 1 : 0
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`)
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(2)
  },
)
