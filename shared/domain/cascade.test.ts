import { describe, expect, test } from 'vitest'
import { chanceOf, defaultCascade, planCascade } from './cascade.ts'
import { detectPlatform } from './platforms.ts'
import { countFailures, decideSwitch, defaultLimits, driverName } from './switch-criteria.ts'

const order = (
  platform: Parameters<typeof planCascade>[1],
  pin?: string,
  history: Parameters<typeof planCascade>[3] = [],
) => {
  const { levels, rule, why } = planCascade(defaultCascade, platform, pin, history)
  return { names: levels.map(driverName), rule, why }
}

describe('the order of engines', () => {
  test('is the table, with Workday starting from what is seen', () => {
    for (const platform of ['linkedin', 'greenhouse', 'lever', 'unknown'] as const)
      expect(order(platform).names).toEqual(['stagehand/dom', 'stagehand/cua', 'magnitude', 'human'])
    expect(order('workday').names).toEqual(['magnitude', 'stagehand/cua', 'human'])
    expect(planCascade(defaultCascade, 'workday', undefined, []).levels[0]?.retries).toBe(3)
  })

  test('follows a pin, also to an engine that the platform leaves out', () => {
    expect(order('workday', 'stagehand/dom')).toMatchObject({
      names: ['stagehand/dom', 'magnitude', 'stagehand/cua', 'human'],
      rule: 'pinned',
    })
  })

  test('follows history only after twenty operations and only when the difference is more than chance', () => {
    const did = (dom: [number, number], magnitude: [number, number]) => [
      { driver: 'stagehand/dom', successes: dom[0], operations: dom[1] },
      { driver: 'magnitude', successes: magnitude[0], operations: magnitude[1] },
    ]
    expect(order('lever', undefined, did([0, 9], [10, 10])).rule).toBe('table')
    expect(order('lever', undefined, did([5, 10], [7, 10])).rule).toBe('table')
    expect(order('lever', undefined, did([10, 10], [2, 10])).rule).toBe('table')
    const better = order('lever', undefined, did([2, 10], [9, 10]))
    expect(better.names[0]).toBe('magnitude')
    expect(better.why).toContain('9 of 10')
    expect(order('lever', 'stagehand/dom', did([2, 10], [9, 10])).rule).toBe('pinned')
  })

  test('the chance is what the hypergeometric distribution says', () => {
    const of = (successes: number, operations: number) => ({ driver: '', successes, operations })
    // Fisher's tea: 3 of 4 against 1 of 4.
    expect(chanceOf(of(3, 4), of(1, 4))).toBeCloseTo(17 / 70, 10)
    expect(chanceOf(of(4, 4), of(0, 4))).toBeCloseTo(1 / 70, 10)
    expect(chanceOf(of(0, 4), of(4, 4))).toBeCloseTo(1, 10)
  })
})

describe('the criteria of a switch', () => {
  const limits = defaultLimits.stagehand
  const ok = { failed: false, durationMs: 100, confidence: null }
  test.each([
    [{ ...ok }, 0, undefined],
    [{ ...ok, failed: true }, 2, undefined],
    [{ ...ok, failed: true }, 3, 'failures'],
    [{ ...ok, durationMs: 15_000 }, 0, undefined],
    [{ ...ok, durationMs: 15_001 }, 0, 'duration'],
    [{ ...ok, confidence: 0.6 }, 0, undefined],
    [{ ...ok, confidence: 0.59 }, 0, 'confidence'],
  ] as const)('%o after %i failures: %s', (observed, failures, reason) => {
    const decision = decideSwitch(observed, failures, limits)
    expect(decision.switch ? decision.reason : undefined).toBe(reason)
  })

  test('failures are counted in a row', () => {
    expect(countFailures(2, { ...ok, failed: true })).toBe(3)
    expect(countFailures(2, ok)).toBe(0)
  })
})

describe('the platform', () => {
  const page = (url: string, sources: string[] = [], marks: string[] = []) => detectPlatform({ url, sources, marks })
  test('is told by the host, by what the page loads, and by what it is made of', () => {
    expect(page('https://www.linkedin.com/jobs/1')).toBe('linkedin')
    expect(page('https://boards.greenhouse.io/acme/jobs/1')).toBe('greenhouse')
    expect(page('https://jobs.lever.co/acme')).toBe('lever')
    expect(page('https://acme.wd5.myworkdayjobs.com/en-US/jobs')).toBe('workday')
    expect(page('https://acme.example/jobs', ['https://boards.greenhouse.io/embed/job_app'])).toBe('greenhouse')
    expect(page('https://acme.example/jobs', [], ['data-automation-id'])).toBe('workday')
    expect(page('https://acme.example/jobs')).toBe('unknown')
  })
  test('is not told by an address that only looks like it', () => {
    for (const url of [
      'https://linkedin.com.evil.example/',
      'https://evil.example/?linkedin.com',
      'not an address',
      '',
    ])
      expect(page(url)).toBe('unknown')
  })
})
