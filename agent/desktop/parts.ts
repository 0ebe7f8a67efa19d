import type { BrowserParts } from '../browser/parts.ts'
import type { Log } from '../log.ts'
import { recordingRoutes } from '../recordings/recordings.routes.ts'
import { type RecordingLimits, RecordingsService } from '../recordings/recordings.service.ts'
import { desktopRoutes } from './desktop.routes.ts'
import { DesktopService } from './desktop.service.ts'

/** The display beyond the browser: pictures, input, clipboard and recordings of it, wired together. */
export function createDesktopParts(
  { browser, desktop, screens, leases }: BrowserParts,
  options: { dataDir: string; log: Log; recordings: RecordingLimits },
) {
  const recordings = new RecordingsService(screens, { ...options, limits: options.recordings })
  const service = new DesktopService(screens, leases)
  return {
    recordings,
    service,
    handlers: {
      ...desktopRoutes(desktop, service),
      ...recordingRoutes(recordings, () => browser.session?.options.recordingFps ?? 30),
    },
    close: () => recordings.close(),
  }
}
