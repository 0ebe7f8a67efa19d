import { expect, test } from 'vitest'
import type { DesktopView } from '../../desktop/desktop.store.ts'
import { machine } from '../../machine/machine.fixture.ts'
import { whyNotRecord } from './recordings.ts'

test('what has a display can be recorded: a browser, or a desktop where there is none', () => {
  const desktop = (state: string) => ({ state }) as DesktopView
  const off = machine({}, { state: 'inactive' })
  expect(whyNotRecord(machine(), null)).toBeUndefined()
  expect(whyNotRecord(off, desktop('active'))).toBeUndefined()
  for (const none of [null, desktop('inactive')]) expect(whyNotRecord(off, none)).toContain('no desktop')
  expect(whyNotRecord(machine({}, { liveView: 'screencast' }), desktop('active'))).toContain('no display')
  const unable = { recording: { available: false, detail: 'ffmpeg is missing' } }
  expect(whyNotRecord(machine({ capabilities: unable } as never), desktop('active'))).toBe('ffmpeg is missing')
})
