import { create } from 'zustand'
import { type EnvDraft, noDraft } from './draft.ts'

interface EnvState {
  /** By machine: what was typed stays while one looks elsewhere. */
  drafts: Readonly<Record<string, EnvDraft>>
  /** The machines whose variables are compared; null while nobody compares. */
  comparing: readonly string[] | null
}

export const useEnv = create<EnvState>(() => ({ drafts: {}, comparing: null }))

export function useDraft(machineId: string): EnvDraft {
  return useEnv((state) => state.drafts[machineId] ?? noDraft)
}

export function changeDraft(machineId: string, change: (draft: EnvDraft) => EnvDraft): void {
  useEnv.setState(({ drafts }) => ({ drafts: { ...drafts, [machineId]: change(drafts[machineId] ?? noDraft) } }))
}

export const dropDraft = (machineId: string) => changeDraft(machineId, () => noDraft)
