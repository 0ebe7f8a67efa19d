import { z } from 'zod'
import { Problem } from '../../shared/errors.ts'
import type { LocalApi } from './local-api.ts'

/** A profile as the agent knows it. AdsPower's own list has account passwords in it: only these keys are read. */
const profileSchema = z
  .looseObject({ profile_id: z.string().optional(), user_id: z.string().optional(), name: z.string().optional() })
  .transform((entry) => ({ id: entry.profile_id ?? entry.user_id ?? '', name: entry.name ?? '' }))
export type AdsPowerProfile = z.output<typeof profileSchema>

const port = z.coerce.number().int().min(1).max(65_535)
const startedSchema = z.looseObject({
  debug_port: port.optional(),
  ws: z.looseObject({ puppeteer: z.string().optional() }).optional(),
})

/** Profiles by the API that every AdsPower has, and by the newer one where that is all there is. */
export class AdsPowerProfiles {
  readonly #api: LocalApi

  constructor(api: LocalApi) {
    this.#api = api
  }

  /** Opens a profile; returns the debugging port of its browser, on this machine. */
  async start(profileId: string, headless: boolean): Promise<number> {
    const older = { ...olderName(profileId), open_tabs: '1', headless: headless ? '1' : '0' }
    const newer = { ...newerName(profileId), headless: headless ? '1' : '0', last_opened_tabs: '0' }
    const data =
      (await this.#api.call('GET', '/api/v1/browser/start', older)) ??
      (await this.#api.call('POST', '/api/v2/browser-profile/start', newer))
    return debugPort(data?.data)
  }

  async stop(profileId: string): Promise<void> {
    const answer = await this.#api.call('GET', '/api/v1/browser/stop', olderName(profileId))
    if (answer === undefined) await this.#api.call('POST', '/api/v2/browser-profile/stop', newerName(profileId))
  }

  async isActive(profileId: string): Promise<boolean> {
    const answer =
      (await this.#api.call('GET', '/api/v1/browser/active', olderName(profileId))) ??
      (await this.#api.call('GET', '/api/v2/browser-profile/active', newerName(profileId)))
    return z.looseObject({ status: z.literal('Active') }).safeParse(answer?.data).success
  }

  async list(): Promise<AdsPowerProfile[]> {
    const answer =
      (await this.#api.call('GET', '/api/v1/user/list', { page: '1', page_size: '100' })) ??
      (await this.#api.call('POST', '/api/v2/browser-profile/list', { page: '1', limit: '100' }))
    const list = z.looseObject({ list: z.array(profileSchema) }).safeParse(answer?.data)
    if (!list.success) throw new Problem('start-failed', 'AdsPower answered with a list that cannot be read.')
    return list.data.list
  }
}

/** Serial numbers are digits; ids have letters in them. */
function isSerialNumber(profileId: string): boolean {
  return /^\d+$/.test(profileId)
}

function olderName(profileId: string): Record<string, string> {
  return isSerialNumber(profileId) ? { serial_number: profileId } : { user_id: profileId }
}

function newerName(profileId: string): Record<string, string> {
  return isSerialNumber(profileId) ? { profile_no: profileId } : { profile_id: profileId }
}

/** Only a port is taken from the answer, and only of this machine: an address that is reported is never followed. */
function debugPort(data: unknown): number {
  const started = startedSchema.safeParse(data)
  const told = started.success ? started.data.ws?.puppeteer : undefined
  if (told !== undefined && told !== '') {
    const url = URL.canParse(told) ? new URL(told) : undefined
    const local = url !== undefined && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)
    if (!local) throw new Problem('start-failed', 'AdsPower named a browser on another machine, which is not followed.')
    const found = port.safeParse(url.port)
    if (found.success) return found.data
  }
  if (started.success && started.data.debug_port !== undefined) return started.data.debug_port
  throw new Problem('start-failed', 'AdsPower started the profile but did not say its debugging port.')
}
