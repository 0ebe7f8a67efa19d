import { Keyboard, Maximize, Minimize } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import type { WireProblem } from '../../../shared/errors.ts'
import { keysOf } from '../../app/actions.ts'
import { problemOf } from '../../app/bridge.ts'
import { useUi } from '../../app/ui.store.ts'
import { useBusy, work } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { toast } from '../../ui/Toast.tsx'
import { tryLocal, useLocalStart } from '../firstrun/local.store.ts'
import { openSecret, powerKey, wake } from '../power/operations.ts'
import { ipcLiveClient, type LiveClient } from './client.ts'
import { liveCondition, type PanelAction } from './condition.ts'
import { GiveBack } from './GiveBack.tsx'
import { LeaseBar } from './LeaseBar.tsx'
import { LivePanel } from './LivePanel.tsx'
import styles from './live.module.css'
import { specialKeys } from './screen.ts'
import type { LiveSnapshot } from './session.ts'
import { shownAddress } from './shownAddress.ts'
import { useActivity } from './useActivity.ts'
import { useFill } from './useFill.ts'
import { useLeaseWarning } from './useLeaseWarning.ts'
import { useLiveSession } from './useLiveSession.ts'

export interface BrowserViewerProps {
  machine: MachineView
  /** What carries pictures and control; over main unless told otherwise. */
  client?: LiveClient
  /** CSS height; fills what there is unless told otherwise. */
  height?: string
  showNavigationBar?: boolean
  showStatusBar?: boolean
  onNavigate?: ((url: string) => void) | undefined
  onConnect?: (() => void) | undefined
  onDisconnect?: (() => void) | undefined
  onError?: ((problem: WireProblem) => void) | undefined
}

/** The live view of a machine's browser: the picture, who has control of it, and how to take it. */
export function BrowserViewer({
  machine,
  client: given,
  height,
  showNavigationBar = true,
  showStatusBar = true,
  onNavigate,
  onConnect,
  onDisconnect,
  onError,
}: BrowserViewerProps) {
  const machineId = machine.id
  const client = useMemo(() => given ?? ipcLiveClient(machineId), [given, machineId])
  const stage = useRef<HTMLDivElement>(null)
  const connections = useRef<HTMLDivElement>(null)
  const still = useRef<HTMLCanvasElement>(null)
  const condition = liveCondition(machine)
  const mine = machine.lease?.mine === true
  const taking = useBusy(`take:${machineId}`)
  const working = useBusy(`panel:${machineId}`)
  const localStarting = useLocalStart((state) => state.start.phase === 'starting')
  const givingBack = useUi((state) => state.givingBack === machineId)
  const filled = useFill()

  const { snapshot, session } = useLiveSession({
    machineId,
    client,
    wish: condition.kind === 'live' ? { view: condition.view, mode: mine ? 'control' : 'view' } : null,
    stage: connections,
    still,
    onShown: () => afterPaint(() => void client.pictureShown().catch(() => {})),
  })
  const stillHere = useCallback(
    () => void work(`still:${machineId}`, 'Keeping control', () => client.stillHere()),
    [client, machineId],
  )
  useActivity(stage, mine, stillHere)
  useLeaseWarning(machine)
  useCallbacks(snapshot, machine.browser?.url ?? null, { onNavigate, onConnect, onDisconnect, onError })

  const waking = useBusy(powerKey(machine))
  const act = (action: Exclude<PanelAction, 'none'>) => {
    if (action === 'start-local') void tryLocal()
    else if (action === 'wake') void wake(machine)
    else if (action === 'fix-credentials') openSecret(machine)
    else if (action === 'verify') void work(`panel:${machineId}`, 'The check', () => client.verify())
    else void work(`panel:${machineId}`, 'Starting the browser', () => client.startBrowser())
  }
  const live = condition.kind === 'live'
  const waiting =
    live && snapshot.phase !== 'live' && (snapshot.pictureAt === null || snapshot.phase === 'reconnecting')

  return (
    <section
      aria-label={`Live view of ${machine.name}`}
      className={styles.viewer}
      style={height === undefined || filled ? undefined : { height, flex: 'none' }}
      data-mine={mine ? '' : undefined}
      data-filled={filled ? '' : undefined}
      data-phase={snapshot.phase}
      data-mode={snapshot.mode}
      data-testid="browser-viewer"
    >
      <LeaseBar
        lease={machine.lease}
        takeable={live}
        taking={taking}
        onTake={() => void work(`take:${machineId}`, 'Taking over', () => client.take())}
        onStillHere={stillHere}
        tools={
          <>
            {mine && live && (
              <Menu
                trigger={
                  <Button variant="ghost" icon={<Keyboard size={15} aria-hidden />} data-testid="special-keys">
                    Keys
                  </Button>
                }
                focusAfter={() => stage.current?.querySelector<HTMLElement>('canvas[tabindex="0"]') ?? null}
                entries={specialKeys.map(({ id, title, keys }) => ({
                  id,
                  title,
                  run: () => session.current?.press(keys),
                }))}
              />
            )}
            <IconButton
              label={filled ? 'Leave full screen' : 'Full screen'}
              keys={keysOf('live.fill')}
              icon={filled ? <Minimize size={15} aria-hidden /> : <Maximize size={15} aria-hidden />}
              onClick={() => useUi.setState({ liveFilled: !filled })}
            />
          </>
        }
        giveBack={
          <GiveBack
            open={givingBack}
            onOpenChange={(open) => useUi.setState({ givingBack: open ? machineId : null })}
            problemOf={problemOf}
            onGiveBack={async (outcome, note) => {
              await client.giveBack(outcome, note)
              toast({ title: `${machine.name} is given back`, id: `gave-back:${machineId}` })
            }}
          />
        }
      />
      {showNavigationBar && (
        <div className={styles.address}>
          <span className={styles.url} data-testid="live-url">
            {shownAddress(live ? machine.browser?.url : null)}
          </span>
          {showStatusBar && live && (
            <span className={styles.figures}>
              {machine.roundTripMs !== null && `${Math.round(machine.roundTripMs)} ms · `}
              {snapshot.framesPerSecond} fps
            </span>
          )}
        </div>
      )}
      <div ref={stage} className={styles.stage}>
        <canvas
          ref={still}
          className={styles.still}
          width={0}
          height={0}
          aria-hidden
          data-testid="live-still"
          data-dimmed={!live ? '' : undefined}
        />
        <div ref={connections} data-connections="" />
        {waiting && <Waiting snapshot={snapshot} onRetry={() => session.current?.retryNow()} />}
        {condition.kind === 'panel' && (
          <LivePanel
            machineId={machineId}
            condition={condition}
            pictureAt={snapshot.pictureAt}
            busy={working || waking || (condition.action === 'start-local' && localStarting)}
            onAction={act}
          />
        )}
      </div>
      <p className="visually-hidden" aria-live="polite">
        {mine ? 'You have control' : machine.lease !== null ? `${machine.lease.operator} has control` : 'View only'}
      </p>
    </section>
  )
}

function Waiting({ snapshot, onRetry }: { snapshot: LiveSnapshot; onRetry: () => void }) {
  const again = snapshot.phase === 'reconnecting'
  return (
    <>
      {again && <div className={styles.veil} />}
      <div className={styles.notice} role="status" data-testid="live-notice">
        <span>
          {again ? 'Reconnecting…' : 'Connecting to the picture…'}
          {again && snapshot.problem !== null && ` ${snapshot.problem.detail}`}
        </span>
        <Button variant="ghost" onClick={onRetry}>
          Try now
        </Button>
      </div>
    </>
  )
}

/** Tells the embedding component what happens, once per change. */
function useCallbacks(
  snapshot: LiveSnapshot,
  url: string | null,
  told: Pick<BrowserViewerProps, 'onNavigate' | 'onConnect' | 'onDisconnect' | 'onError'>,
): void {
  const latest = useRef(told)
  latest.current = told
  const { phase, problem } = snapshot
  const connected = phase === 'live'
  useEffect(() => {
    if (!connected) return
    latest.current.onConnect?.()
    return () => latest.current.onDisconnect?.()
  }, [connected])
  useEffect(() => {
    if (problem !== null) latest.current.onError?.(problem)
  }, [problem])
  useEffect(() => {
    if (url !== null) latest.current.onNavigate?.(url)
  }, [url])
}

/** After the browser has put it on screen; a hidden window never does, so a timer stands in. */
function afterPaint(then: () => void): void {
  let done = false
  const once = () => {
    if (!done) then()
    done = true
  }
  requestAnimationFrame(() => requestAnimationFrame(once))
  setTimeout(once, 300)
}
