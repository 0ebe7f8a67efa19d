import type { BrowserService } from '../browser/browser.service.ts'
import type { Log } from '../log.ts'
import { recordingRoutes } from '../recordings/recordings.routes.ts'
import { type RecordingLimits, RecordingsService } from '../recordings/recordings.service.ts'
import type { LeaseService } from '../takeover/lease.service.ts'
import { desktopRoutes } from './desktop.routes.ts'
import { DesktopService } from './desktop.service.ts'

/** The display beyond the browser: pictures, input, clipboard and recordings of it, wired together. */
export function createDesktopParts(
  browser: BrowserService,
  leases: LeaseService,
  options: { dataDir: string; log: Log; recordings: RecordingLimits },
) {
  const recordings = new RecordingsService(browser, { ...options, limits: options.recordings })
  return {
    recordings,
    handlers: {
      ...desktopRoutes(new DesktopService(browser, leases)),
      ...recordingRoutes(recordings, () => browser.session?.options.recordingFps ?? 30),
    },
    close: () => recordings.close(),
  }
}
