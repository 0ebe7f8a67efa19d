import type { Finding } from './bench.ts'
import { shown } from './target.ts'

const headings = ['', 'bench', 'ours', 'yardstick', 'ratio', 'target', 'against']

/** The findings as lines for a person. */
export function table(findings: readonly Finding[]): string {
  const rows = findings.map(({ name, ours, yardstick, ratio, unit, target, met, against }) => [
    // A figure without a target is only shown: a tick beside it would say something.
    target === shown.text ? '·' : met ? '✓' : '✗',
    name,
    `${ours} ${unit}`,
    `${yardstick} ${unit}`,
    `${ratio} ×`,
    target,
    against,
  ])
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  return [headings, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
