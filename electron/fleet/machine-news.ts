import type { AgentClient } from '../../shared/client/client.ts'
import type { CallResult } from '../../shared/contract/index.ts'
import type { Observation } from '../providers/provider.ts'
import type { LastSandbox, MachineRecord } from '../store/machines.ts'
import type { MachineFacts } from './machine-facts.ts'

/** What of it a person would call wrong if it differed from the truth. */
export function essenceOf({ state, agentId }: MachineRecord, { browser, lease }: MachineFacts): string {
  return JSON.stringify([state, agentId, browser?.state, lease?.operator])
}

/** What to keep of a browser's answer; undefined when nothing in it is new. */
export function browserNews(
  record: MachineRecord,
  browser: CallResult<'browser.status'>,
  snapshot: unknown,
): Pick<MachineRecord, 'snapshot' | 'lastSandbox'> | undefined {
  const lastSandbox = sandboxOf(browser, record.imageTag) ?? record.lastSandbox
  const same = JSON.stringify([snapshot, lastSandbox]) === JSON.stringify([record.snapshot, record.lastSandbox])
  return same ? undefined : { snapshot, lastSandbox }
}

function sandboxOf(browser: CallResult<'browser.status'>, imageTag: string | null): LastSandbox | undefined {
  if (browser.state !== 'active' || browser.resolution === null) return undefined
  const { width, height } = browser.resolution
  return { contextId: browser.contextId ?? null, url: browser.url, width, height, imageTag }
}

/** What to keep of the provider's word, and whether it is worth writing down at once. */
export function powerNews(
  record: MachineRecord,
  seen: Observation,
  now: string,
): { known: Partial<MachineRecord>; isNews: boolean } {
  const isNews = seen.state !== record.powerState
  return {
    isNews,
    known: {
      powerState: seen.state,
      instanceType: seen.instanceType ?? record.instanceType,
      publicIp: seen.publicIp ?? null,
      privateIp: seen.privateIp ?? record.privateIp,
      lastStartedAt: isNews && seen.state === 'running' ? now : record.lastStartedAt,
    },
  }
}

/** The tag that the machine's services run; undefined where it cannot say, as without Docker. */
export async function deployedImage(client: AgentClient): Promise<string | null | undefined> {
  const version = await client.call('machine.version', {}, { timeoutMs: 10_000 }).catch(() => undefined)
  return version?.ghosthandsVersion
}
