import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { nanoTimeOf } from '../../shared/domain/log-time.ts'
import { type DockerLog, followDocker, hasLater, type StreamOptions } from './docker-follow.ts'
import { TerminalDecoder } from './docker-stream.ts'

const at = (index: number) => `2026-01-01T00:00:00.${String(index).padStart(9, '0')}Z`
const line = (index: number) => `${at(index)} line ${index}\n`
const upTo = (last: number) => Array.from({ length: last }, (_, index) => line(index + 1)).join('')

/** A Docker that has lines up to `has`, and whose stream of them is what the test makes it. */
function docker(stream: PassThrough, has: () => number): DockerLog & { looks: StreamOptions[] } {
  const looks: StreamOptions[] = []
  return {
    looks,
    decoder: () => new TerminalDecoder(),
    open(options) {
      if (options.follow) return Promise.resolve(stream)
      looks.push(options)
      const answer = new PassThrough()
      answer.end(line(has()))
      return Promise.resolve(answer)
    },
  }
}

const quiet = { first: 5, most: 20 }
const from = nanoTimeOf(0)
const follow = (log: DockerLog, stop = new AbortController().signal) =>
  followDocker(log, { from, fresh: false, stop, quiet })

async function textsOf(lines: ReturnType<typeof follow>): Promise<string[]> {
  const texts: string[] = []
  for await (const portion of lines) texts.push(...portion.map(({ text }) => text))
  return texts
}
const numbered = (last: number) => Array.from({ length: last }, (_, index) => `line ${index + 1}`)

describe('a log as Docker sends it', () => {
  test('ends, to be opened anew, when it brings nothing although there is more', async () => {
    const stream = new PassThrough()
    stream.write(upTo(3))
    expect(await textsOf(follow(docker(stream, () => 4)))).toEqual(numbered(3))
    expect(stream.destroyed).toBe(true)
  })

  test('goes on while the container is silent, also in the middle of a long line', async () => {
    const stream = new PassThrough()
    const log = docker(stream, () => 4)
    stream.write(upTo(3) + line(4).slice(0, -1))
    const texts = textsOf(follow(log))
    while (log.looks.length < 3) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(log.looks.at(-1)).toMatchObject({ since: at(4), tail: 1 })
    stream.end(` and more\n${line(5)}`)
    expect(await texts).toEqual([...numbered(3), 'line 4 and more', 'line 5'])
  })

  test('brings no line twice when Docker begins the file again', async () => {
    const stream = new PassThrough()
    stream.end(upTo(6) + upTo(8).slice(line(1).length * 2))
    expect(await textsOf(follow(docker(stream, () => 8)))).toEqual(numbered(8))
  })

  test.each(['2026-01-01T00:00:00.000001000Z', '2026-01-01T01:00:00+01:00'])(
    'keeps two of %s that are alike',
    async (time) => {
      const stream = new PassThrough()
      stream.end(`${time} tick\n${time} tick\n`)
      expect(await textsOf(follow(docker(stream, () => 0)))).toEqual(['tick', 'tick'])
    },
  )

  test('says of a silent container at once that there is nothing, from now on', async () => {
    const stop = new AbortController()
    const lines = followDocker(
      docker(new PassThrough(), () => 0),
      { from, fresh: true, stop: stop.signal, quiet },
    )
    expect(await lines.next()).toEqual({ done: false, value: [] })
    stop.abort()
    await lines.return(undefined)
  })

  test('keeps what a clock says that was set back', async () => {
    const stream = new PassThrough()
    stream.end(line(5) + line(6) + line(1) + line(2) + line(2).replace('line 2', 'another'))
    expect(await textsOf(follow(docker(stream, () => 6)))).toEqual(['line 5', 'line 6', 'line 1', 'line 2', 'another'])
  })
})

test('whether there is more is asked by time', async () => {
  const log = docker(new PassThrough(), () => 7)
  const signal = new AbortController().signal
  expect([await hasLater(log, at(6), signal), await hasLater(log, at(7), signal)]).toEqual([true, false])
})
