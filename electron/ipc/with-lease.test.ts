import { describe, expect, test } from 'vitest'
import { callsByName, socketsByName } from '../../shared/contract/index.ts'
import { answerWithLease, callWithLease, messageWithLease, socketWithLease } from './with-lease.ts'

describe('a call of a window', () => {
  test('that changes the page gets the lease, and is refused without one', () => {
    expect(callWithLease(callsByName['browser.reload'], { ignoreCache: true }, 'l1')).toEqual({
      ignoreCache: true,
      leaseId: 'l1',
    })
    for (const name of ['browser.navigate', 'browser.execute', 'tabs.close', 'cookies.set', 'cookies.delete'] as const)
      expect(() => callWithLease(callsByName[name], {}, undefined), name).toThrow(/Take over first/)
  })

  test('that reads passes as it is', () => {
    expect(callWithLease(callsByName['browser.markdown'], {}, undefined)).toEqual({})
    expect(callWithLease(callsByName['browser.scrape'], { selectors: {} }, undefined)).toEqual({ selectors: {} })
    expect(() => callWithLease(callsByName['browser.scrape'], { selectors: {}, url: 'x' }, undefined)).toThrow()
  })

  test('cannot bring a lease of its own', () => {
    expect(() => callWithLease(callsByName['browser.back'], { leaseId: 'stolen' }, 'l1')).toThrow(/leave leaseId out/)
  })
})

describe('a socket of a window', () => {
  test('is an observer unless it asks to control, which needs the lease', () => {
    expect(socketWithLease(socketsByName.cdpPage, { targetId: 't' }, 'l1')).toEqual({ targetId: 't', role: 'observer' })
    expect(socketWithLease(socketsByName.cdpPage, { targetId: 't', role: 'controller' }, 'l1')).toEqual({
      targetId: 't',
      role: 'controller',
      leaseId: 'l1',
    })
    expect(() => socketWithLease(socketsByName.cdpPage, { targetId: 't', role: 'controller' }, undefined)).toThrow(
      /Take over first/,
    )
  })
})

test('what a window says on a stream gets the lease where it asks for control, and cannot bring one', () => {
  const control = { type: 'mode', mode: 'control' }
  expect(messageWithLease(control, 'l1')).toEqual({ ...control, leaseId: 'l1' })
  expect(messageWithLease({ type: 'mode', mode: 'view' }, 'l1')).toEqual({ type: 'mode', mode: 'view' })
  expect(messageWithLease(control, undefined)).toBe(control)
  expect(messageWithLease({ type: 'resize', cols: 80 }, 'l1')).toEqual({ type: 'resize', cols: 80 })
  expect(() => messageWithLease({ ...control, leaseId: 'stolen' }, 'l1')).toThrow(/leave leaseId out/)
})

test('cookies are listed for everyone, their values only for whoever has control', () => {
  const answer = { cookies: [{ name: 'session', value: 'login', domain: 'a.example' }] }
  expect(answerWithLease('cookies.list', answer, 'l1')).toBe(answer)
  expect(answerWithLease('cookies.list', answer, undefined)).toEqual({
    cookies: [{ name: 'session', value: '', domain: 'a.example' }],
  })
  expect(answerWithLease('tabs.list', answer, undefined)).toBe(answer)
})
