import { expect, test } from 'vitest'
import { SetupFailure } from './failure.mjs'
import { parseStartArgs } from './start-args.mjs'

test('nothing is asked for by default', () => {
  expect(parseStartArgs([])).toEqual({ help: false, demo: false, noSandbox: false, screenshot: undefined })
})

test('takes every option, with the file in either spelling', () => {
  const wanted = { help: false, demo: true, noSandbox: true, screenshot: '/pictures/a.png' }
  expect(parseStartArgs(['--demo', '--no-sandbox', '--screenshot', 'a.png'], '/pictures')).toEqual(wanted)
  expect(parseStartArgs(['--screenshot=/pictures/a.png', '--no-sandbox', '--demo'], '/other')).toEqual(wanted)
})

test.each([[['--dmeo']], [['file.png']], [['--screenshot']], [['--screenshot', '--demo']], [['--screenshot=']]])(
  'refuses %j with exit code 2 and the usage',
  (args) => {
    let failure: unknown
    try {
      parseStartArgs(args)
    } catch (error) {
      failure = error
    }
    expect(failure).toBeInstanceOf(SetupFailure)
    expect(failure).toMatchObject({ exitCode: 2, output: expect.stringContaining('Usage:') })
  },
)
