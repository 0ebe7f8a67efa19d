import { duplicateKeys, envVars, isEnvKey, parseEnvFile } from '../../../shared/domain/env-file.ts'
import { isSensitiveEnvKey } from '../../../shared/domain/redaction.ts'

/** What of a machine's variables the rules here need. */
export interface EnvSeen {
  vars: Readonly<Record<string, string>>
  redactedKeys: readonly string[]
  fingerprints: Readonly<Record<string, string>>
}

/** What a person has typed and not yet saved. */
export interface EnvDraft {
  set: Readonly<Record<string, string>>
  remove: readonly string[]
  /** For each key that is touched, the fingerprint that was seen then; null where the key was not there. */
  seen: Readonly<Record<string, string | null>>
}

export const noDraft: EnvDraft = { set: {}, remove: [], seen: {} }

export const isEmpty = (draft: EnvDraft) => draft.remove.length === 0 && Object.keys(draft.set).length === 0
export const isRedacted = (env: EnvSeen, key: string) => env.redactedKeys.includes(key) || isSensitiveEnvKey(key)

/** What stands there under a key, and not what every object has by nature: a variable may be called `constructor`. */
export const own = <Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

const without = <Value>(record: Readonly<Record<string, Value>>, key: string): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== key))

/** As if the key had never been touched. */
export function undo(draft: EnvDraft, key: string): EnvDraft {
  return {
    set: without(draft.set, key),
    remove: draft.remove.filter((name) => name !== key),
    seen: without(draft.seen, key),
  }
}

const noting = (draft: EnvDraft, env: EnvSeen, key: string): EnvDraft['seen'] =>
  Object.hasOwn(draft.seen, key) ? draft.seen : { ...draft.seen, [key]: own(env.fingerprints, key) ?? null }

export function setValue(draft: EnvDraft, env: EnvSeen, key: string, value: string): EnvDraft {
  // What is there already, and can be seen to be, is no change.
  if (own(env.vars, key) === value && !isRedacted(env, key)) return undo(draft, key)
  return {
    set: { ...draft.set, [key]: value },
    remove: draft.remove.filter((name) => name !== key),
    seen: noting(draft, env, key),
  }
}

export function removeKey(draft: EnvDraft, env: EnvSeen, key: string): EnvDraft {
  if (own(env.fingerprints, key) === undefined) return undo(draft, key)
  return {
    set: without(draft.set, key),
    remove: [...draft.remove.filter((name) => name !== key), key],
    seen: noting(draft, env, key),
  }
}

export interface Imported {
  draft: EnvDraft
  /** Keys that were found in the text. */
  keys: readonly string[]
  /** Lines that are neither a comment nor a variable. */
  unreadable: readonly string[]
  /** Keys that stood in it more than once; the last one was taken. */
  doubles: readonly string[]
}

/** A pasted `.env`, as changes to what is there. Keys that it does not name stay. */
export function importText(draft: EnvDraft, env: EnvSeen, text: string): Imported {
  const file = parseEnvFile(text)
  const vars = envVars(file)
  const unreadable = file.lines.flatMap((line) =>
    line.kind === 'other' && /^\s*[^\s#\ufeff]/.test(line.text) ? [line.text.trim()] : [],
  )
  const named = [...vars.keys()]
  const keys = named.filter(isEnvKey)
  const next = keys.reduce((changed, key) => setValue(changed, env, key, vars.get(key) ?? ''), draft)
  const odd = named.filter((key) => !isEnvKey(key))
  return { draft: next, keys, unreadable: [...unreadable, ...odd], doubles: duplicateKeys(file) }
}

export interface DiffRow {
  key: string
  kind: 'added' | 'changed' | 'removed'
  /** Null where the value stays on the machine. */
  before: string | null
  after: string | null
  sensitive: boolean
  /** Someone else changed it after this person had begun. */
  overtaken: boolean
}

/** What saving would do to the variables as they are now. */
export function diffOf(draft: EnvDraft, env: EnvSeen): DiffRow[] {
  const row = (key: string, after: string | null): DiffRow => {
    const there = own(env.fingerprints, key) !== undefined
    const sensitive = isRedacted(env, key)
    return {
      key,
      kind: after === null ? 'removed' : there ? 'changed' : 'added',
      before: there && !sensitive ? (own(env.vars, key) ?? '') : null,
      after,
      sensitive,
      overtaken: (own(draft.seen, key) ?? null) !== (own(env.fingerprints, key) ?? null),
    }
  }
  return [
    ...Object.entries(draft.set).map(([key, value]) => row(key, value)),
    ...draft.remove.filter((key) => own(env.fingerprints, key) !== undefined).map((key) => row(key, null)),
  ]
}

/** The same wishes, made on what is there now: the person has seen it. */
export function rebase(draft: EnvDraft, env: EnvSeen): EnvDraft {
  const fresh = { ...draft, seen: {} }
  const set = Object.entries(draft.set).reduce((next, [key, value]) => setValue(next, env, key, value), {
    ...fresh,
    set: {},
  } as EnvDraft)
  return draft.remove.reduce((next, key) => removeKey(next, env, key), { ...set, remove: [] } as EnvDraft)
}

/** As the agent takes it: in one write, and only if what was seen is still there. */
export function asCall(draft: EnvDraft): {
  vars: Record<string, string>
  remove: string[]
  expect: Record<string, string | null>
} {
  return { vars: { ...draft.set }, remove: [...draft.remove], expect: { ...draft.seen } }
}
