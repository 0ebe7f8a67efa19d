import { useCallback, useRef } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { call } from '../../app/bridge.ts'
import { work } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { useDesktop } from '../desktop/desktop.store.ts'
import { pageCondition } from '../live/condition.ts'
import { LivePanel } from '../live/LivePanel.tsx'
import { useActivity } from '../live/useActivity.ts'
import { isReachable } from '../machine/reach.ts'
import { usePanelAction } from '../state/usePanelAction.ts'
import { AddressBar } from './AddressBar.tsx'
import styles from './Inspector.module.css'
import { useInspectorPanel } from './inspector.store.ts'
import { PageDialog } from './PageDialog.tsx'
import { inspectorPanels } from './panels.tsx'
import type { InspectorSnapshot } from './session.ts'
import { hasPage, useInspector } from './sessions.ts'

/** What is inside the page: its console, network, elements, and what else can be asked of it. */
export function InspectorTab({ machine }: { machine: MachineView }) {
  const { session, snapshot } = useInspector(machine)
  const panel = useInspectorPanel((state) => state.panel)
  const { busy, act } = usePanelAction(machine)
  const condition = pageCondition(machine, useDesktop(machine))
  const shown = inspectorPanels.find(({ value }) => value === panel) ?? inspectorPanels[0]
  const live = hasPage(machine)
  const usable = live ? snapshot.phase !== 'lost' : false
  const alone = shown?.withoutPage === true && isReachable(machine)
  const area = useRef<HTMLElement>(null)
  const { id: machineId } = machine
  // Work in here is work with the browser: the lease goes on as it does in front of the picture.
  const atWork = useCallback(
    () =>
      void work(`still:${machineId}`, 'Keeping control', async () => {
        await call('takeover.stillHere', { machineId, said: false })
      }),
    [machineId],
  )
  useActivity(area, snapshot.mine, atWork, nothing)
  return (
    <section
      ref={area}
      className={styles.inspector}
      aria-label={`Inspector of ${machine.name}`}
      data-mine={snapshot.mine ? '' : undefined}
      data-phase={snapshot.phase}
      data-testid="inspector"
    >
      {/* Pages of a browser that is gone are gone with it. */}
      <AddressBar
        machine={machine}
        session={session}
        snapshot={live ? snapshot : { ...snapshot, tab: null, tabs: none, chosen: false }}
      />
      <div className={styles.stage}>
        <div className={styles.panels} data-dimmed={usable || alone ? undefined : ''}>
          <Tabs
            label="Panels of the inspector"
            value={shown?.value ?? ''}
            onChange={(next) => useInspectorPanel.setState({ panel: next })}
            tabs={inspectorPanels.map(({ content, withoutPage: _withoutPage, ...rest }) => ({
              ...rest,
              content: content(machine, session),
            }))}
          />
        </div>
        {live && <Waiting snapshot={snapshot} onRetry={() => session.retryNow()} />}
        {live && snapshot.phase === 'open' && snapshot.dialog !== null && (
          <PageDialog machine={machine} dialog={snapshot.dialog} />
        )}
        {!live && !alone && condition.kind === 'panel' && (
          <LivePanel machineId={machine.id} condition={condition} pictureAt={null} busy={busy} onAction={act} />
        )}
      </div>
    </section>
  )
}

const nothing = () => {}
const none: readonly never[] = []

/** Shown only when it takes a while: a connection is usually there before one could read this. */
function Waiting({ snapshot, onRetry }: { snapshot: InspectorSnapshot; onRetry: () => void }) {
  const { phase, problem, crashed, tab } = snapshot
  if (phase === 'open' && !crashed) return null
  const text =
    phase === 'open'
      ? 'The page crashed. Reload it to go on.'
      : phase === 'lost'
        ? `Reconnecting… ${problem?.detail ?? ''}`
        : `Connecting to ${tab === null ? 'the page' : 'the next page'}…`
  return (
    <div className={styles.notice} role="status" data-phase={phase} data-testid="inspector-notice">
      <span>{text}</span>
      {phase === 'lost' && (
        <Button variant="ghost" onClick={onRetry}>
          Try now
        </Button>
      )}
    </div>
  )
}
