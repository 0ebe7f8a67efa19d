import { type Handlers, Reply } from '../server/handlers.ts'
import type { DesktopService } from './desktop.service.ts'

type DesktopCall =
  | 'desktop.screenshot'
  | 'desktop.mouse'
  | 'desktop.keyboard'
  | 'desktop.getClipboard'
  | 'desktop.setClipboard'

export function desktopRoutes(desktop: DesktopService): Pick<Handlers, DesktopCall> {
  return {
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
    'desktop.setClipboard': async ({ text, leaseId }) => {
      await desktop.setClipboard(text, leaseId)
      return { ok: true }
    },
  }
}
