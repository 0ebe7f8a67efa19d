import { useNewDeploy } from './new-deploy.store.ts'

/** Opens the form for a new deploy, with these machines chosen. */
export function openNewDeploy(machineIds: readonly string[]): void {
  useNewDeploy.setState({ machineIds: [...machineIds] })
}
