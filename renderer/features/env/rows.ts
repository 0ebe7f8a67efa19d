import type { CallResult } from '../../../shared/contract/index.ts'
import { type EnvDraft, isRedacted, own } from './draft.ts'

export type Env = CallResult<'env.get'>
export type EnvColumn = 'key' | 'value' | 'fingerprint' | 'tools'

export interface EnvRow {
  key: string
  value: string
  sensitive: boolean
  fingerprint: string
  double: boolean
  change: 'added' | 'changed' | 'removed' | null
  /** Shown for a while, after someone asked for it and the machine has written that down. */
  revealed: string | null
}

export const envSorts: Partial<Record<EnvColumn, (row: EnvRow) => string>> = {
  key: (row) => row.key,
  value: (row) => (row.sensitive ? '' : row.value),
  fingerprint: (row) => row.fingerprint,
}

/** The variables as they are, with what was changed and not yet saved; those that a search finds. */
export function rowsOf(env: Env, draft: EnvDraft, revealed: Readonly<Record<string, string>>, query: string): EnvRow[] {
  const words = query.trim().toLowerCase()
  const added = Object.keys(draft.set).filter((key) => own(env.fingerprints, key) === undefined)
  return [...Object.keys(env.vars), ...added]
    .map<EnvRow>((key) => {
      const set = own(draft.set, key)
      const there = own(env.fingerprints, key) !== undefined
      return {
        key,
        value: set ?? own(env.vars, key) ?? '',
        sensitive: isRedacted(env, key),
        fingerprint: own(env.fingerprints, key) ?? '',
        double: env.duplicateKeys.includes(key),
        change: draft.remove.includes(key) ? 'removed' : set === undefined ? null : there ? 'changed' : 'added',
        revealed: own(revealed, key) ?? null,
      }
    })
    .filter(
      ({ key, value, sensitive }) =>
        key.toLowerCase().includes(words) || (!sensitive && value.toLowerCase().includes(words)),
    )
}

/** A certificate or a hundred kilobytes of JSON: more than a row can show is not drawn, nor read out. */
export function shortened(value: string, most: number): string {
  return value.length <= most ? value : `${value.slice(0, most)}… (${value.length} characters)`
}
