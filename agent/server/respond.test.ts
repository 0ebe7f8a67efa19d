import { expect, test } from 'vitest'
import { Problem } from '../../shared/errors.ts'
import { asProblem, problemAnswer } from './respond.ts'

test('what was not expected says nothing of itself to the client, and all to the log', () => {
  const logged: unknown[] = []
  const log = (...line: unknown[]) => void logged.push(line)
  for (const error of [new Error('secret-1 in /var/lib'), 'secret-2', { token: 'secret-3' }, undefined]) {
    const { status, body } = problemAnswer(asProblem(error, 'r-1', log))
    expect(status).toBe(500)
    expect(JSON.parse(String(body))).toEqual({
      type: 'urn:pilothouse:problem:internal',
      ...{ title: 'Something in the agent is broken', status: 500, code: 'internal', requestId: 'r-1' },
      detail: 'Something in the agent is broken. Its log has the reason under request r-1.',
    })
  }
  expect(logged).toHaveLength(4)
  expect(JSON.stringify(logged[0])).toContain('secret-1')
})

test('a cause stays where it is; what was expected is told as it is', () => {
  const problem = new Problem('storage-full', 'Make room.', { free: 0 }, { cause: new Error('secret') })
  const answer = problemAnswer(asProblem(problem, 'r-2', () => {}))
  expect(JSON.parse(String(answer.body))).toMatchObject({
    status: 507,
    detail: 'Make room.',
    free: 0,
    requestId: 'r-2',
  })
  expect(String(answer.body)).not.toContain('secret')
})
