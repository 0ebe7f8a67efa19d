import type { AgentClient } from '../../shared/client/client.ts'
import { Problem, type ProblemCode } from '../../shared/errors.ts'
import type { Log } from '../log.ts'
import { plainText } from '../plain-text.ts'
import type { MachineRecord } from '../store/machines.ts'
import type { Store } from '../store/store.ts'

export interface EchoDeps {
  /** Made with the store and lost with it: a new file is a new console, with a record of its own. */
  consoleId: string
  audit: Pick<Store['audit'], 'head' | 'hashAt'>
}

export interface EchoResult {
  /** How far the agent's chain is seen now; unchanged where it no longer fits what was seen. */
  entries: number
  head: string | null
  warning: string | null
}

/** An agent that cannot be asked just now hides nothing by it, and is asked again when it is back. */
const silences = new Set<ProblemCode>([
  ...(['unreachable', 'timeout', 'cancelled', 'stopping'] as const),
  ...(['unauthorized', 'too-many-requests'] as const),
])

/** Each side tells the other where its record ends, and both look whether the other's still holds what it did. */
export async function echoAudit(
  client: Pick<AgentClient, 'call'>,
  record: Pick<MachineRecord, 'name' | 'auditEntries' | 'auditHead'>,
  { consoleId, audit }: EchoDeps,
): Promise<EchoResult | undefined> {
  const seen = record.auditEntries
  const kept = { entries: seen, head: record.auditHead }
  const answer = await client
    .call('audit.echo', { consoleId, console: audit.head, seen }, { timeoutMs: 10_000 })
    .catch((error: unknown) => {
      // An agent too old for this has nothing to compare; one that did it before has.
      if (error instanceof Problem && error.code === 'not-supported' && seen === 0) return undefined
      if (error instanceof Problem && !silences.has(error.code) && seen > 0) return error
      throw error
    })
  if (answer === undefined) return undefined
  if (answer instanceof Problem) {
    const warning = `${record.name} does not say where its audit ends (${plainText(answer.message, 200)}). Until it does, entries that someone cut off there go unnoticed: check its audit.`
    return { ...kept, warning }
  }
  if (seen > 0 && answer.hashThen !== record.auditHead) {
    const how = answer.hashThen === null ? `ends after entry ${answer.entries}` : `has another entry ${seen}`
    const warning = `The audit of ${record.name} ${how}, but this console saw ${seen} entries of it. Someone cut or changed it: export both audits and look into it.`
    return { ...kept, warning }
  }
  const { consoleThen } = answer
  const fresh = { entries: answer.entries, head: answer.head }
  if (consoleThen !== null && audit.hashAt(consoleThen.entries) !== consoleThen.head) {
    const warning = `${record.name} remembers ${consoleThen.entries} entries of this console's own audit (${consoleThen.at}), and they no longer fit. This computer's record was cut or changed.`
    return { ...fresh, warning }
  }
  return { ...fresh, warning: null }
}

/** The same in the background: what goes wrong is logged, and stands in nobody's way. */
export async function echoQuietly(
  client: Pick<AgentClient, 'call'>,
  record: MachineRecord,
  { echo, log }: { echo: EchoDeps | undefined; log: Log },
): Promise<EchoResult | undefined> {
  if (echo === undefined) return undefined
  try {
    const result = await echoAudit(client, record, echo)
    if (result?.warning != null)
      log('error', 'an audit no longer fits', { machine: record.id, warning: result.warning })
    return result
  } catch (error) {
    log('warn', 'the audits could not be compared', { machine: record.id, error: String(error) })
    return undefined
  }
}
