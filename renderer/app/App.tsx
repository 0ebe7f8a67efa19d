import { CSPProvider } from '@base-ui/react/csp-provider'
import { lazy, Suspense, useEffect, useState } from 'react'
import { CopyContext } from '../ui/CopyButton.tsx'
import { Toasts } from '../ui/Toast.tsx'
import { TooltipProvider } from '../ui/Tooltip.tsx'
import { call } from './bridge.ts'
import { ErrorBoundary } from './ErrorBoundary.tsx'
import { fetchScreens, Screen } from './Screen.tsx'
import styles from './Shell.module.css'
import { Sidebar } from './Sidebar.tsx'
import { StatusLine } from './StatusLine.tsx'
import { TopBar } from './TopBar.tsx'

const Dialogs = lazy(() => import('./Dialogs.tsx'))

const copyText = async (text: string) => {
  await call('app.copyText', { text })
}

/** The window: sidebar, top bar, the screen, and what floats above. */
export function App() {
  const drawn = useDrawn()
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
            {/* What was asked for meanwhile is open when they come. */}
            <Suspense>{drawn && <Dialogs />}</Suspense>
          </ErrorBoundary>
          <Toasts />
        </TooltipProvider>
      </CopyContext>
    </CSPProvider>
  )
}

/** Whether the first picture stands; from then on the rest of the window is read, in its quiet moments. */
function useDrawn(): boolean {
  const [drawn, setDrawn] = useState(false)
  useEffect(() => {
    // A window that is never idle, or not shown, must work all the same.
    const idle = requestIdleCallback(() => setDrawn(true), { timeout: 500 })
    return () => cancelIdleCallback(idle)
  }, [])
  useEffect(() => {
    if (!drawn) return
    const idle = requestIdleCallback(() => void fetchScreens(), { timeout: 3000 })
    return () => cancelIdleCallback(idle)
  }, [drawn])
  return drawn
}
