import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { DeployRecord, DeployStep } from '../../shared/contract/deploys.ts'
import { inTransaction, openDatabase, rows } from '../storage/database.ts'
import { migrations } from './deploys.schema.ts'
import { type Plan, type PlannedInstance, tagOf } from './plan.ts'

export type DeployKind = 'deploy' | 'rollback'
export type EndStatus = 'completed' | 'failed' | 'rolled_back' | 'cancelled'

interface Row {
  id: number
  image_tag: string
  kind: DeployKind
  force: number
  status: string
  step: DeployStep
  plan: string
  operator: string | null
  started_at: string
  finished_at: string | null
  error_message: string | null
}

export interface StoredDeploy {
  id: number
  imageTag: string
  kind: DeployKind
  force: boolean
  step: DeployStep
  plan: Plan
  startedAt: string
}

/** Deploys and each of their steps, on disk before they are taken: what a restarted agent goes by. */
export class DeployStore {
  readonly #file: string
  #opened: DatabaseSync | undefined

  constructor(dataDir: string) {
    this.#file = path.join(dataDir, 'deploys.db')
  }

  begin(deploy: {
    imageTag: string
    kind: DeployKind
    force: boolean
    plan: Plan
    operator: string | null
  }): StoredDeploy {
    const startedAt = new Date().toISOString()
    const { imageTag, kind, force, plan, operator } = deploy
    const inserted = this.#database
      .prepare(
        `INSERT INTO deploys (image_tag, kind, force, status, step, plan, operator, started_at)
         VALUES (?, ?, ?, 'deploying', 'pull', ?, ?, ?)`,
      )
      .run(imageTag, kind, force ? 1 : 0, JSON.stringify(plan), operator, startedAt)
    return { id: Number(inserted.lastInsertRowid), imageTag, kind, force, step: 'pull', plan, startedAt }
  }

  savePlan(id: number, plan: Plan): void {
    this.#database.prepare('UPDATE deploys SET plan = ? WHERE id = ?').run(JSON.stringify(plan), id)
  }

  /** Kept with the newest deploy, whichever it was that left them. */
  saveLeftDraining(leftDraining: readonly PlannedInstance[]): void {
    const newest = this.newest()
    if (newest !== undefined) this.savePlan(newest.id, { ...newest.plan, leftDraining })
  }

  /** Written before the step is taken; returns what to call when it has been. */
  beginStep(deployId: number, step: DeployStep, action: string, target: string | null): (error?: string) => void {
    const id = inTransaction(this.#database, () => {
      this.#database.prepare('UPDATE deploys SET step = ? WHERE id = ?').run(step, deployId)
      const insert = 'INSERT INTO deploy_steps (deploy_id, step, action, target, begun_at) VALUES (?, ?, ?, ?, ?)'
      return this.#database.prepare(insert).run(deployId, step, action, target, new Date().toISOString())
        .lastInsertRowid
    })
    return (error) => {
      const update = 'UPDATE deploy_steps SET ended_at = ?, error_message = ? WHERE id = ?'
      this.#database.prepare(update).run(new Date().toISOString(), error ?? null, id)
    }
  }

  /** Whether an old container was told to end, nobody heard that it has, and it was not put back since. */
  mayBeEnding(deployId: number, target: string): boolean {
    const select = `SELECT action, ended_at IS NOT NULL AND error_message IS NULL AS done FROM deploy_steps
       WHERE deploy_id = ? AND target = ? AND action IN ('stop', 'create', 'put-back') ORDER BY id DESC`
    const steps = rows<{ action: string; done: number }>(this.#database.prepare(select), deployId, target)
    const last = steps.find(({ action, done }) => action !== 'put-back' || done === 1)
    return last?.done === 0
  }

  finish(id: number, status: EndStatus, errorMessage: string | null): void {
    this.#database
      .prepare(`UPDATE deploys SET status = ?, step = 'done', finished_at = ?, error_message = ? WHERE id = ?`)
      .run(status, new Date().toISOString(), errorMessage, id)
  }

  /** The deploy that an agent which ended left behind. */
  unfinished(): StoredDeploy | undefined {
    const select = 'SELECT * FROM deploys WHERE finished_at IS NULL ORDER BY id DESC LIMIT 1'
    return this.#stored(select)
  }

  newest(): StoredDeploy | undefined {
    return this.#stored('SELECT * FROM deploys ORDER BY id DESC LIMIT 1')
  }

  lastCompleted(): StoredDeploy | undefined {
    return this.#stored(`SELECT * FROM deploys WHERE status = 'completed' ORDER BY id DESC LIMIT 1`)
  }

  /** What each deploy that was completed meant to do, the newest first. */
  *completedPlans(): Generator<Plan> {
    const select = this.#database.prepare(`SELECT plan FROM deploys WHERE status = 'completed' ORDER BY id DESC`)
    for (const row of select.iterate()) yield JSON.parse(String(row['plan'])) as Plan
  }

  list(page: number, pageSize: number): { deploys: DeployRecord[]; total: number } {
    const select = this.#database.prepare('SELECT * FROM deploys ORDER BY id DESC LIMIT ? OFFSET ?')
    const count = this.#database.prepare('SELECT count(*) AS n FROM deploys').get() as { n: number }
    return { deploys: rows<Row>(select, pageSize, (page - 1) * pageSize).map(toRecord), total: count.n }
  }

  close(): void {
    this.#opened?.close()
  }

  /** Opened when first needed: the agent listens before that. */
  get #database(): DatabaseSync {
    this.#opened ??= openDatabase(this.#file, migrations, true)
    return this.#opened
  }

  #stored(select: string): StoredDeploy | undefined {
    const row = rows<Row>(this.#database.prepare(select))[0]
    if (row === undefined) return undefined
    return {
      id: row.id,
      imageTag: row.image_tag,
      kind: row.kind,
      force: row.force === 1,
      step: row.step,
      plan: JSON.parse(row.plan) as Plan,
      startedAt: row.started_at,
    }
  }
}

function toRecord(row: Row): DeployRecord {
  const plan = JSON.parse(row.plan) as Plan
  const image = Object.values(plan.images)[0]
  const previous = Object.values(plan.previous)[0]
  return {
    id: row.id,
    imageTag: row.image_tag,
    digest: image?.id ?? null,
    previousTag: previous === undefined ? null : tagOf(previous.name),
    previousDigest: previous?.id ?? null,
    kind: row.kind,
    status: row.status,
    step: row.step,
    operator: row.operator,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    errorMessage: row.error_message,
  }
}
