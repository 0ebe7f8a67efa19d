import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Problem } from '../../shared/errors.ts'
import { LeaseService, restMs } from './lease.service.ts'

let active: boolean
let events: { change: string; operator: string | null }[]
let audited: Record<string, unknown>[]
let leases: LeaseService
let untilDialog: (over: AbortSignal) => Promise<void>

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-01-01T12:00:00Z') })
  active = true
  untilDialog = () => new Promise(() => {})
  events = []
  audited = []
  leases = new LeaseService({
    publish: (type, data) => {
      if (type === 'takeover_lease' && 'lease' in data)
        events.push({ change: data.change, operator: data.lease?.operator ?? null })
    },
    untilDialog: (over) => untilDialog(over),
    audit: { recordSystem: (action, details) => audited.push({ action, ...details }) },
    requireBrowser: () => {
      if (!active) throw new Problem('not-active', 'The browser is not running.')
    },
  })
})
afterEach(() => {
  leases.close()
  vi.useRealTimers()
})

const ann = { operator: 'Ann', reason: 'captcha', ttlMs: 60_000 }
const code = (act: () => unknown) => {
  try {
    act()
    return 'none'
  } catch (error) {
    return error instanceof Problem ? error.code : String(error)
  }
}

describe('a lease', () => {
  test('needs an active browser', () => {
    active = false
    expect(code(() => leases.take(ann))).toBe('not-active')
    expect(leases.current).toBeNull()
  })

  test('has one holder; whoever asks next is told who, the holder included', () => {
    const lease = leases.take(ann)
    for (const operator of ['Ben', 'Ann']) {
      try {
        leases.take({ ...ann, operator })
        expect.unreachable()
      } catch (error) {
        expect(error).toMatchObject({ code: 'lease-held', status: 409, extra: { holder: 'Ann' } })
        expect((error as Problem).message).toContain('Ann')
      }
    }
    expect(leases.isHeldBy(lease.leaseId)).toBe(true)
    expect(leases.current).not.toHaveProperty('leaseId')
    expect(events).toEqual([{ change: 'taken', operator: 'Ann' }])
  })

  test('is known by its id alone', () => {
    const { leaseId } = leases.take(ann)
    for (const wrong of [undefined, '', 'x', `${leaseId}x`, leaseId.slice(1), leaseId.toLowerCase().repeat(2)])
      expect(leases.isHeldBy(wrong)).toBe(false)
    expect(code(() => leases.renew('x'))).toBe('lease-gone')
    expect(code(() => leases.handBack('x'))).toBe('lease-gone')
    expect(leases.isHeldBy(leaseId)).toBe(true)
  })

  test('ends exactly on time, with an event, an audit row and a call to whoever relays input', () => {
    const ended = vi.fn()
    leases.onEnd(ended)
    const { leaseId } = leases.take(ann)
    vi.advanceTimersByTime(59_999)
    expect(leases.isHeldBy(leaseId)).toBe(true)
    expect(ended).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(ended).toHaveBeenCalledOnce()
    expect(events.at(-1)).toEqual({ change: 'expired', operator: null })
    expect(audited).toMatchObject([{ action: 'hand_back', operator: 'Ann', heldMs: 60_000 }])
    expect(code(() => leases.renew(leaseId))).toBe('lease-gone')
    expect(leases.take({ ...ann, operator: 'Ben' }).operator).toBe('Ben')
  })

  test('is extended by what it was taken for, counted from the renewal', () => {
    const { leaseId } = leases.take(ann)
    vi.advanceTimersByTime(40_000)
    expect(leases.renew(leaseId).expiresAt).toBe('2026-01-01T12:01:40.000Z')
    vi.advanceTimersByTime(59_999)
    expect(leases.isHeldBy(leaseId)).toBe(true)
    vi.advanceTimersByTime(1)
    expect(leases.isHeldBy(leaseId)).toBe(false)
    expect(events.map((event) => event.change)).toEqual(['taken', 'renewed', 'expired'])
  })

  test('handed back is gone for good and says how long it was held', () => {
    const { leaseId } = leases.take(ann)
    vi.advanceTimersByTime(5000)
    expect(leases.handBack(leaseId)).toEqual({ operator: 'Ann', heldMs: 5000 })
    expect(code(() => leases.handBack(leaseId))).toBe('lease-gone')
    vi.advanceTimersByTime(120_000)
    expect(events.map((event) => event.change)).toEqual(['taken', 'handed_back'])
    expect(audited).toEqual([])
  })

  test('ends with the browser', () => {
    const { leaseId } = leases.take(ann)
    leases.browserEnded('chromium ended')
    expect(leases.isHeldBy(leaseId)).toBe(false)
    expect(events.at(-1)).toEqual({ change: 'ended', operator: null })
    expect(audited).toMatchObject([{ operator: 'Ann', reason: 'chromium ended' }])
    leases.browserEnded('again')
    expect(audited).toHaveLength(1)
  })

  test('is over after a sleep of the machine, although no timer has fired yet', () => {
    const { leaseId } = leases.take(ann)
    vi.setSystemTime(Date.parse('2026-01-01T13:00:00Z'))
    expect(leases.isHeldBy(leaseId)).toBe(false)
    expect(events.at(-1)?.change).toBe('expired')
    expect(audited).toHaveLength(1)
  })

  test('does not live longer because the clock was set back', () => {
    const { leaseId } = leases.take(ann)
    vi.setSystemTime(Date.parse('2026-01-01T11:00:00Z'))
    vi.advanceTimersByTime(60_000)
    expect(leases.isHeldBy(leaseId)).toBe(false)
  })

  test('whoever never comes to rest is waited for no longer than a moment, and not at all while a dialog is open', async () => {
    const dialog = Promise.withResolvers<void>()
    let over: AbortSignal | undefined
    untilDialog = (signal) => {
      over = signal
      return dialog.promise
    }
    leases.onTaken(() => new Promise(() => {}))
    leases.take(ann)
    const hung = leases.othersStopped()
    await vi.advanceTimersByTimeAsync(restMs - 1)
    expect(over?.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await hung
    expect(over?.aborted).toBe(true)
    leases.browserEnded('over')
    leases.take(ann)
    dialog.resolve()
    await leases.othersStopped()
  })

  test('a listener that was taken off is not called', () => {
    const ended = vi.fn()
    leases.onEnd(ended)()
    leases.handBack(leases.take(ann).leaseId)
    expect(ended).not.toHaveBeenCalled()
  })
})
