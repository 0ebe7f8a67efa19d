import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LogLine } from '../contract/logs.ts'
import { levelOf, syslogLevel } from './log-level.ts'
import { disorderMs, LineAssembler, type RawLine, tangle } from './log-lines.ts'
import { comparePositions, dockerTime, earlier, nanoTime, nanoTimeOf, parseSince, unixTime } from './log-time.ts'
import { standsAlone } from './log-traces.ts'

const at = (nanos: number) =>
  `2026-01-01T00:00:${String(Math.floor(nanos / 1e9)).padStart(2, '0')}.${String(nanos % 1e9).padStart(9, '0')}Z`
const raw = (text: string, nanos = 1): RawLine => ({ timestamp: at(nanos), text })

function joined(...texts: string[]): string[] {
  const assembler = new LineAssembler('api')
  const lines = assembler.push(texts.map((text, index) => raw(text, index + 1)))
  return [...lines, ...assembler.flush()].map((line) => line.message)
}

describe('times', () => {
  test('keep nanoseconds, whatever the zone and the number of digits', () => {
    expect(nanoTime('2026-11-16T05:22:01.15Z')).toBe('2026-11-16T05:22:01.150000000Z')
    expect(nanoTime('2026-11-16T05:22:01Z')).toBe('2026-11-16T05:22:01.000000000Z')
    expect(nanoTime('2026-11-16T05:22:01.123456789+02:00')).toBe('2026-11-16T03:22:01.123456789Z')
    expect(nanoTime('2026-11-16 05:22:01,5')).toBe('2026-11-16T05:22:01.500000000Z')
    for (const bad of ['', 'yesterday', '2026-13-40T99:00:00Z', '2026-11-16']) expect(nanoTime(bad)).toBeUndefined()
    for (const beyond of ['9999-12-31T23:59:59-12:00', '0000-01-01T00:00:00+12:00']) {
      expect(nanoTime(beyond)).toBeUndefined()
    }
  })

  test('of a second and of a position', () => {
    expect(unixTime('2026-11-16T05:22:01.000000007Z')).toBe(`${Date.UTC(2026, 10, 16, 5, 22, 1) / 1000}.000000007`)
    expect(nanoTimeOf(Date.UTC(2026, 0, 1))).toBe('2026-01-01T00:00:00.000000000Z')
    expect(earlier('2026-01-01T00:00:00.500000007Z', 1000)).toBe('2025-12-31T23:59:59.500000007Z')
    expect(earlier(earlier('0000-01-01T00:00:00.000000007Z', 2000), 2000)).toBe('0000-01-01T00:00:00.000000007Z')
    expect(parseSince('2026-11-16T05:22:01.15Z#7')).toEqual({ timestamp: '2026-11-16T05:22:01.150000000Z', seq: 7 })
    expect(parseSince('2026-11-16T05:22:01Z')?.seq).toBe(0)
    for (const bad of ['#3', 'x#3', '2026-11-16T05:22:01Z#-1', '2026-11-16T05:22:01Z#1#2'])
      expect(parseSince(bad)).toBeUndefined()
  })
})

describe('levels', () => {
  test.each([
    ['{"level":30,"time":1,"msg":"up"}', 'info'],
    ['{"name":"x","hostname":"h","pid":1,"level":50,"msg":"no"}', 'error'],
    ['{"level":"warn","message":"hm"}', 'warn'],
    ['{"severity":"CRITICAL","message":"hm"}', 'fatal'],
    ['{"time":"2026-01-01T00:00:00Z","level":"ERROR+2","msg":"no"}', 'error'],
    ['{"time":"2026-01-01T00:00:00Z","level":"DEBUG-4","msg":"hm"}', 'debug'],
    ['{"level":"dpanic","ts":1,"msg":"no"}', 'fatal'],
    ['{"msg":"no level here"}', undefined],
    ['[ERROR] it broke', 'error'],
    ['2026-01-01 00:00:00 [error] nginx', 'error'],
    ['2026/01/01 00:00:00 [emerg] 1#1: bind() to 0.0.0.0:80 failed', 'fatal'],
    ['ERROR: it broke', 'error'],
    ['time=2026 level=warn msg="x"', 'warn'],
    ['t=2026 lvl=dbug msg=x', 'debug'],
    ['2026-01-01T00:00:00Z  WARN  module: text', 'warn'],
    ['\u001b[31mERROR\u001b[0m it broke', 'error'],
    ['INFO:     127.0.0.1 - "GET / HTTP/1.1" 200', 'info'],
    ['TypeError: x is not a function', 'error'],
    ['java.lang.IllegalStateException: no', 'error'],
    ['Traceback (most recent call last):', 'error'],
    ['<4>kernel says', 'warn'],
    ['{"level":"50","msg":"no"}', 'error'],
    ['{"t":{"$date":"2026-01-01T00:00:00.000+00:00"},"s":"W",  "c":"NETWORK","msg":"hm"}', 'warn'],
    ['0|app  | {"level":50,"msg":"no"}', 'error'],
    ['E0101 12:00:00.000000       1 reflector.go:126] Failed to watch', 'error'],
    ['[W 12:00:00.123 ServerApp] hm', 'warn'],
    ['fail: Microsoft.AspNetCore.Server.Kestrel[13]', 'error'],
    ['trce: Shop.Program[0]', 'trace'],
    ['[12:00:00 INF] up', 'info'],
    ['[12:00:00 FTL] down', 'fatal'],
    ['12:00AM WRN hm path=/x', 'warn'],
    ['ERRO[0001] no', 'error'],
    ['[2026-01-01 00:00:00,000: ERROR/MainProcess] Task raised', 'error'],
    ['72 | 11/18/26, 06:34 PM [INFO/Worker] registered', 'info'],
    ['2026-01-01 00:00:00 [warning  ] hm', 'warn'],
    ['[Thu Jan 01 00:00:00.123456 2026] [core:error] [pid 1] AH00126', 'error'],
    ['[2026-01-01 00:00:00] production.ERROR: no {"a":1}', 'error'],
    ['npm ERR! code ELIFECYCLE', 'error'],
    ['npm warn deprecated x', 'warn'],
    ['PHP Fatal error:  Uncaught Exception', 'fatal'],
    ["thread 'main' panicked at src/main.rs:2:5:", 'error'],
    ['(node:1) [DEP0040] DeprecationWarning: The punycode module', 'warn'],
    ["/app/x.rb:3:in 'Object#f': no (KeyError)", 'error'],
    ['INFO set the level: error', 'info'],
    ['failed: nothing', undefined],
    ['GET /ERROR.html 200', undefined],
    ['PING example.com (INFO)', 'info'],
    ['there was no error at all', undefined],
    ['informed everyone', undefined],
    ['level=constructor', undefined],
    ['', undefined],
  ])('%s', (line, level) => {
    expect(levelOf(line)).toBe(level)
  })

  test('of syslog', () => {
    expect([0, 3, 4, 6, 7, 8, Number.NaN].map(syslogLevel)).toEqual([
      'fatal',
      'error',
      'warn',
      'info',
      'debug',
      undefined,
      undefined,
    ])
  })
})

describe('stack traces', () => {
  test('of Node and Java stay together', () => {
    const trace = ['Error: no', '    at f (a.js:1:2)', '    at g (b.js:3:4)']
    const java = ['java.lang.X: no', '\tat a.b(C.java:1)', 'Caused by: y', '\t... 3 more']
    expect(joined('before', ...trace, 'after', ...java, 'end')).toEqual([
      'before',
      trace.join('\n'),
      'after',
      java.join('\n'),
      'end',
    ])
  })

  test('of .NET have what they were caused by, and the line that its logger puts before them', () => {
    const trace = ['System.Exception: outer', ' ---> System.Exception: inner', '   at A.B() in /app/P.cs:line 3']
    const more = ['   --- End of inner exception stack trace ---', '   at A.C()']
    const entry = ['fail: Shop.Program[0]', '      Could not sell', '      System.Exception: no', '         at A.B()']
    expect(joined('before', ...trace, ...more, 'after', ...entry, 'end')).toEqual([
      ...['before', [...trace, ...more].join('\n'), 'after', entry.join('\n'), 'end'],
    ])
  })

  test('of Ruby stay together, thrown or logged', () => {
    const thrown = ["/app/x.rb:3:in 'Object#f': no (RuntimeError)", "\tfrom /app/x.rb:7:in '<main>'"]
    const logged = ['E, [2026-01-01] ERROR -- : no (RuntimeError)', "/app/x.rb:3:in 'f'", "/app/x.rb:5:in '<main>'"]
    expect(joined('before', ...thrown, 'after', ...logged, 'end')).toEqual([
      ...['before', thrown.join('\n'), 'after', logged.join('\n'), 'end'],
    ])
  })

  test('of Node stay together where a terminal has them in colours', () => {
    const trace = ['Error: no', '    at f (a.js:1:2)', '\u001b[90m    at node:internal/main:1\u001b[39m {']
    const more = ["  code: \u001b[32m'X'\u001b[39m", '}']
    expect(joined('before', ...trace, ...more, 'after')).toEqual(['before', [...trace, ...more].join('\n'), 'after'])
  })

  test('of Playwright have the calls before they gave up', () => {
    const calls = ['Call log:', "\u001b[2m  - waiting for locator('#x')\u001b[22m", '']
    const node = ['page.click: Timeout 30000ms exceeded.', ...calls, '    at run (/app/x.js:1:1)']
    const python = ['Traceback (most recent call last):', '  File "x.py", line 1', 'TimeoutError: no', ...calls]
    expect(joined('before', ...node, 'after', ...python, 'end')).toEqual([
      ...['before', node.join('\n'), 'after', python.join('\n'), 'end'],
    ])
  })

  test('of Python stay together with the sentence before and the exception behind', () => {
    const trace = [
      'ERROR:root:no',
      'Traceback (most recent call last):',
      '  File "x.py", line 1',
      '    f()',
      'ValueError: 1',
    ]
    expect(joined('a', ...trace, 'b')).toEqual(['a', trace.join('\n'), 'b'])
  })

  test('of Python stay together when one exception led to another', () => {
    const block = (name: string) => ['Traceback (most recent call last):', '  File "x.py", line 1', `${name}: 1`]
    const chain = [
      ...[...block('KeyError'), '', 'During handling of the above exception, another exception occurred:', ''],
      ...[...block('ValueError'), '', 'The above exception was the direct cause of the following exception:', ''],
      ...[...block('OSError'), '  a second line of its sentence'],
    ]
    expect(joined('a', ...chain, 'b', ...block('E'), 'c', '', 'd')).toEqual([
      ...['a', chain.join('\n'), 'b', block('E').join('\n'), 'c', '', 'd'],
    ])
  })

  test('of a group of Python exceptions end where it does', () => {
    const group = [
      '  + Exception Group Traceback (most recent call last):',
      '  |   File "x.py", line 1, in <module>',
      '  | ExceptionGroup: two (2 sub-exceptions)',
      '  +-+---------------- 1 ----------------',
      '    | Traceback (most recent call last):',
      '    |   File "x.py", line 1, in f',
      '    | ValueError: 1',
      '    +------------------------------------',
    ]
    expect(joined('a', ...group, 'b')).toEqual(['a', group.join('\n'), 'b'])
  })

  test('of Node have the properties of the error, to their bracket', () => {
    const trace = [
      'Error: ENOENT: no such file',
      '    at open (node:fs:573:18)',
      '    at f (a.js:1:2) {',
      '  errno: -2,',
      '  [cause]: Error: no',
      '      at g (b.js:3:4) {',
      "    code: 'X'",
      '  }',
      '}',
    ]
    expect(joined('{', ...trace, '}', 'b')).toEqual(['{', trace.join('\n'), '}', 'b'])
  })

  test('of Go stay together, with all goroutines', () => {
    const panic = [
      'panic: runtime error: invalid memory address or nil pointer dereference',
      '[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x47b2a5]',
      '',
      'goroutine 1 [running]:',
      'main.(*Shop).sell(...)',
      '\t/app/main.go:8',
      'main.each[...]({0xc00001c0a8, 0x3, 0x3})',
      '\t/app/main.go:12 +0x1d',
      'created by main.start in goroutine 6',
      '\t/app/main.go:20 +0x65',
      '',
      'goroutine 7 gp=0xc0000061c0 m=nil [chan receive, 2 minutes]:',
      'main.main()',
      '\t/app/main.go:4 +0x18',
      'exit status 2',
    ]
    const served = [
      '2026/01/01 00:00:00 http: panic serving 127.0.0.1:4711: no',
      ...['goroutine 18 [running]:', 'net/http.(*conn).serve.func1()', '\t/go/src/net/http/server.go:1850 +0xb0'],
    ]
    expect(joined('a', ...panic, 'listening on :80', ...served, 'b (done)')).toEqual([
      ...['a', panic.join('\n'), 'listening on :80', served.join('\n'), 'b (done)'],
    ])
  })

  test('do not swallow what is merely indented', () => {
    expect(joined('{', '  "a": 1', '}')).toEqual(['{', '  "a": 1', '}'])
  })

  test('are bounded', () => {
    const lines = joined('Error: no', ...Array.from({ length: 1000 }, () => '    at f (a.js:1:2)'))
    expect(lines.length).toBeGreaterThan(4)
    expect(lines.join('\n').split('\n')).toHaveLength(1001)
    const calls = Array.from({ length: 150 }, () => ['main.f(0x1)', '\t/app/main.go:8 +0x1d']).flat()
    expect(joined('panic: deep', '', 'goroutine 1 [running]:', ...calls).length).toBe(2)
  })

  test('have the level of their first line, and the place of their last', () => {
    const assembler = new LineAssembler('api')
    assembler.push([raw('[WARN] odd', 5), raw('    at f', 6), raw('    at g', 6)])
    expect(assembler.holding).toBe(true)
    expect(assembler.flush()).toEqual([
      { timestamp: at(6), seq: 1, level: 'warn', message: '[WARN] odd\n    at f\n    at g', service: 'api' },
    ])
  })
})

describe('a line of the other output', () => {
  const written = (...lines: [text: string, stream: number, ms: number][]) =>
    lines.map(([text, stream, ms]) => ({ timestamp: at(ms * 1e6), text, stream }))
  const messages = (raws: readonly RawLine[]) => {
    const assembler = new LineAssembler('worker')
    return [...assembler.push(raws), ...assembler.flush()].map(({ message }) => message)
  }

  test('is no part of a trace, and does not split it: it comes behind', () => {
    const trace = 'Traceback (most recent call last):\n  File "x.py", line 1\nValueError: no'
    const [head = '', call = '', last = ''] = trace.split('\n')
    expect(messages(written([head, 2, 1], ['GET /', 1, 2], [call, 2, 3], ['GET /b', 1, 4], [last, 2, 5]))).toEqual([
      trace,
      'GET /',
      'GET /b',
    ])
    expect(
      messages(written(['Error: a', 2, 1], ['Error: b', 1, 2], ['    at a', 2, 3], ['    at b', 1, 4], ['end', 2, 5])),
    ).toEqual(['Error: a\n    at a', 'Error: b\n    at b', 'end'])
  })

  test('does not wait for long, nor many of them, nor for what may be no trace at all', () => {
    const late = tangle.ms + 2
    expect(messages(written(['Error: a', 2, 1], ['x', 1, 2], ['    at a', 2, late + 1]))).toEqual([
      'Error: a',
      'x',
      '    at a',
    ])
    const assembler = new LineAssembler('worker')
    expect(assembler.push(written(['Error: a', 2, 1], ['x', 1, 2], ['y', 1, 3]))).toEqual([])
    const came = assembler.push(written(['z', 1, late + 1]))
    expect(came.map(({ message }) => message)).toEqual(['Error: a', 'x', 'y'])
    const flood = Array.from({ length: tangle.lines + 2 }, (_, n) => [`${n}`, 1, 2] as [string, number, number])
    expect(new LineAssembler('worker').push(written(['Error: a', 2, 1], ...flood))[0]?.message).toBe('Error: a')
    expect(messages(written(['a', 2, 1], ['x', 1, 2], ['b', 2, 3], ['y', 1, 4]))).toEqual(['a', 'x', 'b', 'y'])
  })
})

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }).map((value) => value.replaceAll('\n', '')),
  fc.constantFrom(
    'Error: no',
    '    at f (a.js:1:2)',
    'Traceback (most recent call last):',
    '  File "x"',
    'panic: no',
    'goroutine 1 [running]:',
    'main.main()',
    'During handling of the above exception, another exception occurred:',
    '    at f {',
    '}',
    '',
    'Call log:',
    '\u001b[2m  - waiting',
    'fail: Shop[0]',
    '      more',
    "/a.rb:1:in 'f'",
    '{"level":50}',
  ),
)
/** Two writers: times run forward, but now and then a line is stamped a little earlier than the one before it. */
const source = fc
  .array(fc.record({ text, step: fc.integer({ min: 0, max: 3 }), back: fc.integer({ min: 0, max: 2 }) }), {
    maxLength: 60,
  })
  .map((items) => {
    let now = 10_000
    return items.map((item) => {
      now += item.step
      return raw(item.text, now - item.back)
    })
  })

/** As a live stream would: in any portions, with or without a pause behind each. */
function run(raws: readonly RawLine[], cuts: readonly number[], after?: { timestamp: string; seq: number }): LogLine[] {
  const assembler = new LineAssembler('api', after)
  const lines: LogLine[] = []
  let from = 0
  for (const cut of [...cuts, raws.length]) {
    const to = Math.min(raws.length, from + cut)
    lines.push(...assembler.push(raws.slice(from, to)))
    if (cut % 2 === 0) lines.push(...assembler.flush())
    from = to
  }
  return [...lines, ...assembler.flush()]
}
const physical = (lines: readonly LogLine[]) => lines.map((line) => line.message).join('\n')
const cutting = fc.array(fc.integer({ min: 0, max: 7 }), { maxLength: 30 })

test('where a log may be cut to be read in pieces, no two lines belong together', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 40 }), (texts) => {
      const raws = texts.map((one, index) => raw(one, index + 1))
      const whole = run(raws, []).map(({ message }) => message)
      for (const [index, one] of texts.entries()) {
        if (index === 0 || !standsAlone(one, texts[index - 1] ?? '')) continue
        const pieces = [raws.slice(0, index), raws.slice(index)].flatMap((piece) => run(piece, []))
        expect(pieces.map(({ message }) => message)).toEqual(whole)
      }
    }),
    { numRuns: 500 },
  )
})

describe('any source', () => {
  test('gives every line once, in order, at positions that only grow', () => {
    fc.assert(
      fc.property(source, cutting, (raws, cuts) => {
        const lines = run(raws, cuts)
        expect(physical(lines)).toBe(raws.map((line) => line.text).join('\n'))
        for (const [index, line] of lines.entries()) {
          const before = lines[index - 1]
          if (before === undefined) continue
          const position = (of: LogLine) => ({ timestamp: of.timestamp, seq: of.seq ?? -1 })
          expect(comparePositions(position(before), position(line))).toBeLessThan(0)
        }
      }),
    )
  })

  test('resumes behind any line without loss or doubles, however it is cut the second time', () => {
    fc.assert(
      fc.property(source, cutting, cutting, fc.nat(), (raws, cuts, otherCuts, pick) => {
        const lines = run(raws, cuts)
        if (lines.length === 0) return
        const seen = lines.slice(0, (pick % lines.length) + 1)
        const last = seen.at(-1)
        if (last === undefined) return
        const after = { timestamp: last.timestamp, seq: last.seq ?? 0 }
        const start = earlier(after.timestamp, disorderMs)
        const rest = run(
          raws.filter((line) => line.timestamp >= start),
          otherCuts,
          after,
        )
        expect(physical([...seen, ...rest])).toBe(raws.map((line) => line.text).join('\n'))
      }),
      { numRuns: 500 },
    )
  })

  test('with two outputs keeps each line once, behind what it came between, and resumes behind any of them', () => {
    const outputs = fc.array(
      fc.record({
        text,
        stream: fc.constantFrom(1, 2),
        step: fc.constantFrom(0, 0, 1, 1000, 1_000_000, 5_000_000, 30_000_000, 400_000_000),
        back: fc.integer({ min: 0, max: 2 }),
      }),
      { maxLength: 60 },
    )
    /** A pause in the middle of a tangle would say that nothing more came, which is not so. */
    const inPortions = (cuts: readonly number[]) => cuts.filter((cut) => cut % 2 === 1)
    fc.assert(
      fc.property(outputs, cutting, cutting, fc.nat(), (items, cuts, otherCuts, pick) => {
        let now = 10_000
        const raws = items.map(({ text: said, stream, step, back }) => {
          now += step
          return { ...raw(said, now - back), stream }
        })
        const lines = run(raws, inPortions(cuts))
        expect(physical(lines).split('\n').sort()).toEqual(
          raws
            .map((line) => line.text)
            .join('\n')
            .split('\n')
            .sort(),
        )
        if (lines.length === 0) return
        const place = pick % lines.length
        const last = lines[place]
        const after = { timestamp: last?.timestamp ?? '', seq: last?.seq ?? 0 }
        const start = earlier(after.timestamp, disorderMs)
        const rest = run(
          raws.filter((line) => line.timestamp >= start),
          inPortions(otherCuts),
          after,
        )
        expect(physical(rest)).toBe(physical(lines.slice(place + 1)))
      }),
      { numRuns: 1000 },
    )
  })

  test('that broke off while it was resumed knows where it was', () => {
    const raws = [raw('a', 1), raw('b', 1), raw('c', 1), raw('d', 2)]
    const assembler = new LineAssembler('api', { timestamp: at(1), seq: 1 })
    assembler.push(raws.slice(0, 1))
    expect(assembler.position).toEqual({ timestamp: at(1), seq: 1 })
  })

  test('whose clock was set back is believed', () => {
    const assembler = new LineAssembler('api')
    const lines = [...assembler.push([raw('a', 20e9), raw('b', 3e9)]), ...assembler.flush()]
    expect(lines.map((line) => line.timestamp)).toEqual([at(20e9), at(3e9)])
  })
})

test('a time of Docker is the same moment, however many of its zeros it left out', () => {
  const moments = fc.tuple(fc.integer({ min: 0, max: 2 ** 41 }), fc.stringMatching(/^[0-9]{0,9}$/))
  fc.assert(
    fc.property(moments, ([ms, fraction]) => {
      const written = `${new Date(ms).toISOString().slice(0, 19)}${`.${fraction}`.replace(/\.?0*$/, '')}Z`
      expect(dockerTime(written)).toBe(nanoTime(written))
      expect(dockerTime(written)).toHaveLength(30)
    }),
  )
  expect(dockerTime('yesterday')).toBeUndefined()
})
