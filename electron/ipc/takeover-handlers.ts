import { writeFile } from 'node:fs/promises'
import { Problem } from '../../shared/errors.ts'
import type { takeoverIpc } from '../../shared/ipc-takeover.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { savedName } from '../saved-name.ts'
import type { SettingsKeeper } from '../settings.ts'
import type { OwnTakeovers } from '../takeovers/own-takeovers.ts'
import { bodiesOf, pasteIntoPage, selectionOfPage, writeIntoPage } from '../takeovers/page-text.ts'
import type { IpcHandlers } from './dispatch.ts'

export interface TakeoverHandlerDeps {
  fleet: Pick<Fleet, 'leases' | 'client' | 'call' | 'view'>
  settings: Pick<SettingsKeeper, 'current'>
  ownTakeovers: Pick<OwnTakeovers, 'list'>
  clipboard: { readText: () => string | Promise<string>; writeText: (text: string) => void | Promise<void> }
  chooseFile: (suggested: string) => Promise<string | undefined>
}

/** The longest text a machine's clipboard takes. */
const mostPastedBytes = 4 * 1024 * 1024
/** A picture of a whole display takes longer than an ordinary answer. */
const pictureMs = 60_000

/** Taking control and giving it back; clipboard and pictures, which a person asks for one by one. */
export function takeoverHandlers(deps: TakeoverHandlerDeps): Pick<IpcHandlers, keyof typeof takeoverIpc> {
  const { fleet, settings, clipboard } = deps
  const { leases } = fleet
  const wish = () => ({ operator: settings.current.operator, ttlMs: settings.current.leaseMinutes * 60_000 })
  const copied = async (machineId: string) => {
    const { text } = await fleet.call(machineId, 'desktop.getClipboard', {})
    if (text === '')
      throw new Problem('not-found', 'The clipboard of the machine holds no text. Copy some there first.')
    return text
  }
  const selected = async (machineId: string) => {
    const leaseId = required(machineId)
    const { result } = await fleet.call(machineId, 'browser.execute', { expression: selectionOfPage, leaseId })
    if (typeof result !== 'string' || result === '')
      throw new Problem('not-found', 'No text is selected on the page. Select some first.')
    return result
  }
  const required = (machineId: string) => {
    const leaseId = leases.leaseId(machineId)
    if (leaseId !== undefined) return leaseId
    throw new Problem('lease-gone', 'You do not have control of this browser. Take over first.')
  }
  return {
    'takeover.take': async ({ machineId, reason }) => ({
      expiresAt: await leases.take(machineId, fleet.client(machineId), { ...wish(), reason }),
    }),
    'takeover.accept': async ({ machineId, requestId }) => ({
      expiresAt: await leases.accept(machineId, fleet.client(machineId), requestId, wish()),
    }),
    'takeover.stillHere': async ({ machineId, said }) => ({ expiresAt: await leases.stillHere(machineId, said) }),
    'takeover.giveBack': async ({ machineId, ...given }) => ({ toActingMs: await leases.giveBack(machineId, given) }),
    'takeover.own': () => ({ takeovers: deps.ownTakeovers.list() }),

    'live.paste': async ({ machineId, of }) => {
      const leaseId = required(machineId)
      const text = await clipboard.readText()
      if (text === '') throw new Problem('not-found', 'The clipboard of this computer holds no text. Copy some first.')
      const bytes = Buffer.byteLength(text)
      if (bytes > mostPastedBytes) {
        const [has, most] = [bytes, mostPastedBytes].map((count) => (count / 1024 / 1024).toFixed(1))
        const said = `The clipboard of this computer holds ${has} MiB of text, and ${most} MiB go at once. Paste it in parts.`
        throw new Problem('invalid-params', said)
      }
      if (of === 'page') {
        const execute = async (expression: string) =>
          (await fleet.call(machineId, 'browser.execute', { expression, leaseId })).result
        if (!(await pasteIntoPage(execute, text))) await writeIntoPage(fleet.client(machineId), text, leaseId)
      } else
        for (const [place, part] of bodiesOf(text).entries()) {
          const append = place === 0 ? {} : { append: true }
          await fleet.call(machineId, 'desktop.setClipboard', { text: part, ...append, leaseId })
        }
      return { characters: countOf(text) }
    },
    'live.copy': async ({ machineId, of }) => {
      const text = of === 'page' ? await selected(machineId) : await copied(machineId)
      await clipboard.writeText(text)
      return { characters: countOf(text) }
    },
    'live.saveScreenshot': async ({ machineId, of }) => {
      const call = of === 'display' ? 'desktop.screenshot' : 'browser.screenshot'
      const { bytes } = await fleet.call(machineId, call, {}, { timeoutMs: pictureMs })
      const file = await deps.chooseFile(`${savedName(fleet.view(machineId).name)}.png`)
      if (file !== undefined) await writeFile(file, bytes)
      return { file: file ?? null, bytes: bytes.length }
    },
  }
}

/** As a person counts them: an emoji is one, and is stored as two. */
function countOf(text: string): number {
  return [...text].length
}
