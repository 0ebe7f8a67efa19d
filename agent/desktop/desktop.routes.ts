import { type Handlers, Reply } from '../server/handlers.ts'
import type { DesktopService } from './desktop.service.ts'
import type { DesktopMode } from './desktop-mode.ts'

type DesktopCall =
  | 'desktop.start'
  | 'desktop.stop'
  | 'desktop.status'
  | 'desktop.screenshot'
  | 'desktop.mouse'
  | 'desktop.keyboard'
  | 'desktop.getClipboard'
  | 'desktop.setClipboard'

export function desktopRoutes(mode: DesktopMode, desktop: DesktopService): Pick<Handlers, DesktopCall> {
  return {
    'desktop.start': (params, context) => {
      context.note({ desktop: true, ...params })
      return mode.start(params)
    },
    'desktop.stop': async (_params, context) => {
      context.note({ desktop: true })
      await mode.stop()
      return { state: 'inactive' }
    },
    'desktop.status': () => mode.status(),
    'desktop.screenshot': async () => new Reply('image/png', await desktop.screenshot()),
    'desktop.mouse': async (params) => {
      await desktop.mouse(params)
      return { ok: true }
    },
    'desktop.keyboard': async (params) => {
      await desktop.keyboard(params)
      return { ok: true }
    },
    'desktop.getClipboard': async () => ({ text: await desktop.readClipboard() }),
    'desktop.setClipboard': async ({ text, append = false, leaseId }) => {
      await desktop.setClipboard(text, leaseId, append)
      return { ok: true }
    },
  }
}
