import type { Connection } from './open.ts'

export const deployStatuses = ['pending', 'deploying', 'completed', 'failed', 'rolled_back'] as const
export type DeployStatus = (typeof deployStatuses)[number]

export interface DeployRecord {
  id: number
  sandboxId: string
  imageTag: string
  commitSha: string | null
  commitMessage: string | null
  branch: string | null
  environment: string | null
  status: DeployStatus
  triggeredBy: string | null
  createdAt: string
  startedAt: string | null
  completedAt: string | null
  rollbackOf: number | null
  errorMessage: string | null
  metadata: Record<string, unknown>
}

const columns = {
  sandboxId: 'sandbox_id',
  imageTag: 'image_tag',
  commitSha: 'commit_sha',
  commitMessage: 'commit_message',
  branch: 'branch',
  environment: 'environment',
  status: 'status',
  triggeredBy: 'triggered_by',
  createdAt: 'created_at',
  startedAt: 'started_at',
  completedAt: 'completed_at',
  rollbackOf: 'rollback_of',
  errorMessage: 'error_message',
  metadata: 'metadata',
} as const satisfies Record<keyof Omit<DeployRecord, 'id'>, string>

/** What was deployed where, by whom, and how it ended. */
export function deploysTable(connection: Connection) {
  const keys = Object.keys(columns) as (keyof typeof columns)[]
  const insert = connection.prepare(
    `INSERT INTO sandbox_deploy_history (${keys.map((key) => columns[key]).join(', ')})
     VALUES (${keys.map((key) => `@${key}`).join(', ')})`,
  )
  const selected = `SELECT id, ${keys.map((key) => `${columns[key]} AS ${key}`).join(', ')} FROM sandbox_deploy_history`
  const one = connection.prepare(`${selected} WHERE id = ?`)
  const of = connection.prepare(`${selected} WHERE sandbox_id = ? ORDER BY id DESC LIMIT ?`)
  const all = connection.prepare(`${selected} ORDER BY id DESC LIMIT ?`)
  const update = connection.prepare(
    `UPDATE sandbox_deploy_history SET ${keys.map((key) => `${columns[key]} = @${key}`).join(', ')} WHERE id = @id`,
  )
  const values = (record: Omit<DeployRecord, 'id'>) => ({ ...record, metadata: JSON.stringify(record.metadata) })
  const read = (row: unknown): DeployRecord => {
    const { metadata, ...rest } = row as Omit<DeployRecord, 'metadata'> & { metadata: string | null }
    return { ...rest, metadata: JSON.parse(metadata ?? '{}') as Record<string, unknown> }
  }
  return {
    add(record: Omit<DeployRecord, 'id'>): number {
      return Number(insert.run(values(record)).lastInsertRowid)
    },
    get(id: number): DeployRecord | undefined {
      const row = one.get(id)
      return row === undefined ? undefined : read(row)
    },
    change(id: number, changed: Partial<Omit<DeployRecord, 'id'>>): void {
      const row = one.get(id)
      if (row === undefined) throw new Error(`There is no deploy ${id} to change.`)
      update.run({ ...values({ ...read(row), ...changed }), id })
    },
    /** Newest first, of one machine or of all. */
    last(count: number, sandboxId?: string): DeployRecord[] {
      return (sandboxId === undefined ? all.all(count) : of.all(sandboxId, count)).map(read)
    },
  }
}
