import { create } from 'zustand'

interface NewDeployState {
  /** The machines the form begins with; null while it is closed. */
  machineIds: readonly string[] | null
  tag: string
}

/** The form for a new deploy. */
export const useNewDeploy = create<NewDeployState>(() => ({ machineIds: null, tag: '' }))

export const closeNewDeploy = () => useNewDeploy.setState({ machineIds: null })
