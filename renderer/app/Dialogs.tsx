import { NewDeploy } from '../features/deploys/NewDeploy.tsx'
import { Enroll } from '../features/enroll/Enroll.tsx'
import { Upgrade } from '../features/enroll/Upgrade.tsx'
import { CompareEnv } from '../features/env/CompareEnv.tsx'
import { AddMachine } from '../features/fleet/AddMachine.tsx'
import { BatchDialog } from '../features/fleet/BatchDialog.tsx'
import { Discover } from '../features/fleet/Discover.tsx'
import { EditMachine } from '../features/fleet/EditMachine.tsx'
import { RunCommand } from '../features/fleet/RunCommand.tsx'
import { AutoStopDialog } from '../features/power/AutoStopDialog.tsx'
import { SecretDialog } from '../features/power/SecretDialog.tsx'
import { RunTask } from '../features/task/RunTask.tsx'
import { ConfirmDialog } from './ConfirmDialog.tsx'
import { Palette } from './Palette.tsx'
import { PromptDialog } from './PromptDialog.tsx'
import { Shortcuts } from './Shortcuts.tsx'

/** What floats above the screens; each opens itself when it is wanted. */
export default function Dialogs() {
  return (
    <>
      <Palette />
      <Shortcuts />
      <AddMachine />
      <Discover />
      <BatchDialog />
      <RunCommand />
      <Enroll />
      <Upgrade />
      <EditMachine />
      <SecretDialog />
      <AutoStopDialog />
      <RunTask />
      <CompareEnv />
      <NewDeploy />
      <ConfirmDialog />
      <PromptDialog />
    </>
  )
}
