import { type Leg, type Rollout, rolloutSchema } from '../../shared/domain/rollout.ts'
import type { LegState } from '../../shared/domain/rollout-states.ts'
import type { DeployStatus, deploysTable } from './deploys.ts'
import type { Connection } from './open.ts'

export interface RolloutStep {
  at: string
  machineId: string | null
  step: string
  detail: string | null
}

export interface RolloutFilter {
  environment?: string | undefined
  status?: string | undefined
  /** Part of a tag, or the name of who did it. */
  text?: string | undefined
  machineId?: string | undefined
  before?: number | undefined
  limit: number
}

/** A rollback takes back the newest deploys of a machine. */
const deploysLookedAt = 50

/** Deploys over several machines. Its connection writes to the disk before it answers: a step is stored, then taken. */
export function rolloutsTable(connection: Connection, history: ReturnType<typeof deploysTable>) {
  const insert = connection.prepare(
    `INSERT INTO rollouts (image_tag, kind, status, triggered_by, environments, created_at, ended_at, state)
     VALUES (@tag, @kind, @status, @operator, @environments, @createdAt, @endedAt, @state)`,
  )
  const update = connection.prepare(
    'UPDATE rollouts SET status = @status, ended_at = @endedAt, state = @state WHERE id = @id',
  )
  const addStep = connection.prepare(
    'INSERT INTO rollout_steps (rollout_id, at, sandbox_id, step, detail) VALUES (@id, @at, @machineId, @step, @detail)',
  )
  const steps = connection.prepare(
    'SELECT at, sandbox_id AS machineId, step, detail FROM rollout_steps WHERE rollout_id = ? ORDER BY id LIMIT 5000',
  )
  const one = connection.prepare('SELECT id, state FROM rollouts WHERE id = ?')
  const open = connection.prepare('SELECT id, state FROM rollouts WHERE ended_at IS NULL ORDER BY id')
  const values = (rollout: Rollout) => ({
    ...rollout,
    environments: ` ${[...new Set(rollout.legs.map(({ environment }) => environment))].join(' ')} `,
    state: JSON.stringify(rollout),
  })

  const save = connection.transaction((before: Rollout, after: Rollout, story: readonly RolloutStep[]): Rollout => {
    const kept = { ...after, legs: after.legs.map((leg, place) => recordLeg(after, before.legs[place], leg)) }
    update.run(values(kept))
    for (const step of story) addStep.run({ ...step, id: kept.id })
    return kept
  })
  const add = connection.transaction((rollout: Rollout): Rollout => {
    const id = Number(insert.run(values(rollout)).lastInsertRowid)
    const kept = { ...rollout, id }
    update.run(values(kept))
    addStep.run({ id, at: rollout.createdAt, machineId: null, step: 'started', detail: rollout.operator })
    return kept
  })

  /** The history that the fleet's other tools read has a row for each machine that was begun. */
  function recordLeg(rollout: Rollout, before: Leg | undefined, leg: Leg): Leg {
    const status = statusOf(leg.state)
    if (before?.state === leg.state || status === undefined) return leg
    const end = { status, errorMessage: leg.detail, completedAt: leg.endedAt }
    if (leg.historyId !== null && isOwn(leg.historyId, rollout.id, leg)) {
      history.change(leg.historyId, end)
      return leg
    }
    if (leg.startedAt === null) return leg
    const historyId = history.add({
      ...{ sandboxId: leg.machineId, imageTag: rollout.tag, environment: leg.environment },
      ...{ commitSha: rollout.commit, commitMessage: rollout.commitMessage, branch: rollout.branch },
      ...{ triggeredBy: rollout.operator, createdAt: rollout.createdAt, startedAt: leg.startedAt, ...end },
      rollbackOf: rowUndoneBy(leg),
      metadata: { rolloutId: rollout.id, kind: rollout.kind, attempt: leg.attempt },
    })
    return { ...leg, historyId }
  }

  /** A row that was cleared away leaves its id to the next one, which may be of another deploy. */
  function isOwn(historyId: number, rolloutId: number, { machineId }: Leg): boolean {
    const row = history.get(historyId)
    return row?.sandboxId === machineId && row.metadata['rolloutId'] === rolloutId
  }

  /** The row of the deploy that a rollback takes back, where it was this console's and is still there. */
  function rowUndoneBy({ machineId, undoes }: Leg): number | null {
    if (undoes === null) return null
    for (const { id, legs } of list({ machineId, limit: deploysLookedAt })) {
      const leg = legs.find((one) => one.machineId === machineId && one.agentDeployId === undoes)
      if (leg !== undefined) return leg.historyId !== null && isOwn(leg.historyId, id, leg) ? leg.historyId : null
    }
    return null
  }

  /** Newest first. */
  function list(filter: RolloutFilter): Rollout[] {
    const where: string[] = []
    const given: (string | number)[] = []
    const add = (clause: string, ...found: (string | number)[]) => {
      where.push(clause)
      given.push(...found)
    }
    if (filter.environment !== undefined) add("environments LIKE ? ESCAPE '\\'", `% ${escaped(filter.environment)} %`)
    if (filter.status !== undefined) add('status = ?', filter.status)
    if (filter.text !== undefined && filter.text !== '') {
      const text = `%${escaped(filter.text)}%`
      add("(image_tag LIKE ? ESCAPE '\\' OR triggered_by LIKE ? ESCAPE '\\')", text, text)
    }
    if (filter.machineId !== undefined)
      add(
        "EXISTS (SELECT 1 FROM json_each(state, '$.legs') WHERE json_extract(value, '$.machineId') = ?)",
        filter.machineId,
      )
    if (filter.before !== undefined) add('id < ?', filter.before)
    const clause = where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`
    const statement = connection.prepare(`SELECT id, state FROM rollouts${clause} ORDER BY id DESC LIMIT ?`)
    return read(statement.all(...given, filter.limit))
  }

  return {
    add: (rollout: Rollout): Rollout => add(rollout),
    /** On the disk when this returns. */
    save: (before: Rollout, after: Rollout, story: readonly RolloutStep[]): Rollout => save(before, after, story),
    get: (id: number): Rollout | undefined => read([one.get(id)])[0],
    /** Those that have not ended, oldest first. */
    open: (): Rollout[] => read(open.all()),
    steps: (id: number): RolloutStep[] => steps.all(id) as RolloutStep[],
    list,
  }
}

/** One that this console does not understand, from a newer one, is left out rather than guessed at. */
function read(rows: readonly unknown[]): Rollout[] {
  return rows.flatMap((row) => {
    if (row === undefined) return []
    const { id, state } = row as { id: number; state: string }
    const checked = rolloutSchema.safeParse(JSON.parse(state))
    return checked.success ? [{ ...checked.data, id }] : []
  })
}

/** In the words of the history; undefined for what never began. */
function statusOf(state: LegState): DeployStatus | undefined {
  switch (state) {
    case 'waiting':
    case 'checking':
    case 'skipped':
      return undefined
    case 'deploying':
    case 'proving':
      return 'deploying'
    case 'completed':
      return 'completed'
    // The old containers serve again.
    case 'failed':
    case 'cancelled':
      return 'rolled_back'
    default:
      return 'failed'
  }
}

function escaped(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}
