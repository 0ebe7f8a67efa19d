import { CSPProvider } from '@base-ui/react/csp-provider'
import { lazy, Suspense } from 'react'
import { AuditScreen } from '../features/audit/AuditScreen.tsx'
import { DeploysScreen } from '../features/deploys/DeploysScreen.tsx'
import { NewDeploy } from '../features/deploys/NewDeploy.tsx'
import { DiagnosticsScreen } from '../features/diagnostics/DiagnosticsScreen.tsx'
import { Enroll } from '../features/enroll/Enroll.tsx'
import { Upgrade } from '../features/enroll/Upgrade.tsx'
import { CompareEnv } from '../features/env/CompareEnv.tsx'
import { AddMachine } from '../features/fleet/AddMachine.tsx'
import { BatchDialog } from '../features/fleet/BatchDialog.tsx'
import { Discover } from '../features/fleet/Discover.tsx'
import { EditMachine } from '../features/fleet/EditMachine.tsx'
import { FleetScreen } from '../features/fleet/FleetScreen.tsx'
import { RunCommand } from '../features/fleet/RunCommand.tsx'
import { MachineScreen } from '../features/machine/MachineScreen.tsx'
import { AutoStopDialog } from '../features/power/AutoStopDialog.tsx'
import { SecretDialog } from '../features/power/SecretDialog.tsx'
import { SettingsScreen } from '../features/settings/SettingsScreen.tsx'
import { TakeoversScreen } from '../features/takeovers/TakeoversScreen.tsx'
import { RunTask } from '../features/task/RunTask.tsx'
import { WallScreen } from '../features/wall/WallScreen.tsx'
import { WorkersScreen } from '../features/workers/WorkersScreen.tsx'
import { CopyContext } from '../ui/CopyButton.tsx'
import { Toasts } from '../ui/Toast.tsx'
import { TooltipProvider } from '../ui/Tooltip.tsx'
import { call } from './bridge.ts'
import { ConfirmDialog } from './ConfirmDialog.tsx'
import { ErrorBoundary } from './ErrorBoundary.tsx'
import { Palette } from './Palette.tsx'
import { PromptDialog } from './PromptDialog.tsx'
import { useRoute } from './route.ts'
import styles from './Shell.module.css'
import { Shortcuts } from './Shortcuts.tsx'
import { Sidebar } from './Sidebar.tsx'
import { StatusLine } from './StatusLine.tsx'
import { TopBar } from './TopBar.tsx'

const LogsScreen = lazy(() => import('../features/logs/LogsScreen.tsx').then((part) => ({ default: part.LogsScreen })))

const copyText = async (text: string) => {
  await call('app.copyText', { text })
}

/** The window: sidebar, top bar, the screen, and what floats above. */
export function App() {
  return (
    <CSPProvider disableStyleElements>
      <CopyContext value={copyText}>
        <TooltipProvider delay={400}>
          <ErrorBoundary>
            <div className={styles.shell}>
              <Sidebar />
              <div className={styles.main}>
                <TopBar />
                <main className={styles.content}>
                  <Screen />
                </main>
              </div>
              <StatusLine />
            </div>
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
          </ErrorBoundary>
          <Toasts />
        </TooltipProvider>
      </CopyContext>
    </CSPProvider>
  )
}

function Screen() {
  const route = useRoute((state) => state.route)
  const place = route.screen === 'machine' ? route.machineId : route.screen
  return (
    <ErrorBoundary key={place}>
      {route.screen === 'fleet' && <FleetScreen />}
      {route.screen === 'takeovers' && <TakeoversScreen />}
      {route.screen === 'wall' && <WallScreen />}
      {route.screen === 'settings' && <SettingsScreen />}
      {route.screen === 'workers' && <WorkersScreen />}
      {route.screen === 'deploys' && <DeploysScreen />}
      {route.screen === 'audit' && <AuditScreen />}
      {route.screen === 'diagnostics' && <DiagnosticsScreen />}
      {route.screen === 'logs' && (
        <Suspense>
          <LogsScreen machineIds={route.machineIds} />
        </Suspense>
      )}
      {route.screen === 'machine' && <MachineScreen machineId={route.machineId} tab={route.tab} />}
    </ErrorBoundary>
  )
}
