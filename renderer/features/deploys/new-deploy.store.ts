import { create } from 'zustand'

/** The form for a new deploy: open with the machines it begins with, or closed. */
export const useNewDeploy = create<{ machineIds: readonly string[] | null }>(() => ({ machineIds: null }))

export const closeNewDeploy = () => useNewDeploy.setState({ machineIds: null })
