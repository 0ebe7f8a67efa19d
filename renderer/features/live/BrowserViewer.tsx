import { Maximize, Minimize } from 'lucide-react'
import { useCallback, useEffect, useRef } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import type { WireProblem } from '../../../shared/errors.ts'
import { keysOf } from '../../app/actions.ts'
import { problemOf } from '../../app/bridge.ts'
import { useUi } from '../../app/ui.store.ts'
import { useBusy, work } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { toast } from '../../ui/Toast.tsx'
import { StartDesktop, StopDesktop } from '../desktop/DesktopButtons.tsx'
import { useDesktop } from '../desktop/desktop.store.ts'
import { describeDriver, driverOf, useEngine } from '../engine/engine.store.ts'
import { tryLocal, useLocalStart } from '../firstrun/local.store.ts'
import { useMachine } from '../fleet/fleet.store.ts'
import { openSecret, powerKey, wake } from '../power/operations.ts'
import { useTakeovers } from '../takeovers/takeovers.store.ts'
import { CaptureTools } from './CaptureTools.tsx'
import { ClipboardMenu } from './ClipboardMenu.tsx'
import { CrashedPage } from './CrashedPage.tsx'
import type { LiveClient } from './client.ts'
import { liveCondition, type PanelAction } from './condition.ts'
import { tellDownload } from './downloads.ts'
import { Figures } from './Figures.tsx'
import { FileChooser } from './FileChooser.tsx'
import { GiveBack } from './GiveBack.tsx'
import { useGivingBack } from './givingBack.ts'
import { KeysMenu } from './KeysMenu.tsx'
import { LeaseBar, PictureAge } from './LeaseBar.tsx'
import { LivePanel } from './LivePanel.tsx'
import styles from './live.module.css'
import { NavigationBar } from './NavigationBar.tsx'
import { PageDialog } from './PageDialog.tsx'
import type { LiveSnapshot } from './snapshot.ts'
import { useActivity } from './useActivity.ts'
import { useFill } from './useFill.ts'
import { useLiveSession } from './useLiveSession.ts'
import { useRecording } from './useRecording.ts'
import { ViewMenu } from './ViewMenu.tsx'
import { useViewChoices } from './viewChoices.ts'

export interface BrowserViewerProps {
  /** Which machine is shown, and what carries its pictures and the control of it. */
  client: LiveClient
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
export function BrowserViewer(props: BrowserViewerProps) {
  const machine = useMachine(props.client.machineId)
  return machine === undefined ? null : <Viewer key={machine.id} machine={machine} {...props} />
}

function Viewer({
  machine,
  client,
  height,
  showNavigationBar = true,
  showStatusBar = true,
  onNavigate,
  onConnect,
  onDisconnect,
  onError,
}: BrowserViewerProps & { machine: MachineView }) {
  const machineId = machine.id
  const stage = useRef<HTMLDivElement>(null)
  const connections = useRef<HTMLDivElement>(null)
  const still = useRef<HTMLCanvasElement>(null)
  const desktop = useDesktop(machine)
  const condition = liveCondition(machine, desktop)
  const mine = machine.lease?.mine === true
  const taking = useBusy(`take:${machineId}`)
  const working = useBusy(`panel:${machineId}`)
  const localStarting = useLocalStart((state) => state.start.phase === 'starting')
  const givingBack = useGivingBack(machine)
  const filled = useFill()

  const { snapshot, session } = useLiveSession({
    machineId,
    client,
    wish: condition.kind === 'live' ? { view: condition.view, mode: mine ? 'control' : 'view' } : null,
    stage: connections,
    still,
    onDownload: (download) => mine && tellDownload(machine, download),
    onShown: () => afterPaint(() => void client.pictureShown().catch(() => {})),
  })
  const stillHere = useCallback(
    (said: boolean) =>
      // Each by itself: what is pressed must not be lost because the mouse had just moved.
      void work(`still:${machineId}:${said}`, 'Keeping control', () => client.stillHere(said)),
    [client, machineId],
  )
  const atWork = useCallback(() => stillHere(false), [stillHere])
  const pressed = useCallback(() => session.current?.pressed(), [session])
  useActivity(stage, mine, atWork, pressed)
  const engine = useEngine(machineId)
  const wanted = useTakeovers((state) => state.requests[machineId]?.find((request) => request.state === 'open'))
  const figures = useViewChoices((state) => state.figures)
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
  const display = live && condition.view === 'vnc'
  const running = useRecording(client, display && machine.capabilities['recording']?.available !== false)
  const onDesktop = live && condition.desktop === true
  const withBar = showNavigationBar && !onDesktop
  const shownFigures = showStatusBar && figures && live && <Figures snapshot={snapshot} client={client} />
  const waiting =
    live &&
    snapshot.phase !== 'live' &&
    snapshot.dialog === null &&
    !snapshot.crashed &&
    (snapshot.pictureAt === null || snapshot.recalled || snapshot.phase === 'reconnecting')

  return (
    <section
      aria-label={`Live view of ${machine.name}`}
      className={styles.viewer}
      style={height === undefined || filled ? undefined : { height, flex: 'none' }}
      data-mine={mine ? '' : undefined}
      data-filled={filled ? '' : undefined}
      data-phase={snapshot.phase}
      data-quality={snapshot.quality}
      data-mode={snapshot.mode}
      data-testid="browser-viewer"
    >
      <LeaseBar
        lease={machine.lease}
        takeable={live}
        taking={taking}
        onTake={() =>
          void work(`take:${machineId}`, 'Taking over', () => client.take(wanted === undefined ? null : wanted.id))
        }
        wanted={wanted ?? null}
        driving={onDesktop ? 'A desktop, without a browser' : describeDriver(engine)}
        onStillHere={() => stillHere(true)}
        tools={
          <>
            {!withBar && shownFigures}
            {mine && live && (
              <>
                <KeysMenu
                  session={session}
                  held={snapshot.held}
                  ready={snapshot.phase === 'live' && snapshot.mode === 'control'}
                />
                <ClipboardMenu
                  machineId={machineId}
                  name={machine.name}
                  client={client}
                  display={display}
                  session={session}
                />
              </>
            )}
            {live && (
              <>
                <ViewMenu snapshot={snapshot} mine={mine} display={display} recorded={running.recording !== null} />
                <CaptureTools machine={machine} client={client} display={display} running={running} />
              </>
            )}
            {onDesktop && <StopDesktop machine={machine} />}
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
            {...givingBack}
            problemOf={problemOf}
            paused={engine?.paused == null ? null : driverOf(engine.paused)}
            onGiveBack={async (given) => {
              const { toActingMs } = await client.giveBack(given)
              givingBack.onNote('')
              const detail = toActingMs === null ? '' : `The engine acts again after ${Math.round(toActingMs)} ms.`
              toast({ title: `${machine.name} is given back`, detail, id: `gave-back:${machineId}` })
            }}
          />
        }
      />
      {withBar && (
        <NavigationBar
          machineId={machineId}
          client={client}
          url={machine.browser?.url ?? null}
          live={live}
          mine={mine}
          figures={shownFigures}
        />
      )}
      <div ref={stage} className={styles.stage}>
        <canvas
          ref={still}
          className={styles.still}
          width={0}
          height={0}
          aria-hidden
          data-testid="live-still"
          data-dimmed={!live || snapshot.recalled ? '' : undefined}
        />
        <div ref={connections} data-connections="" />
        {waiting && <Waiting snapshot={snapshot} onRetry={() => session.current?.retryNow()} />}
        {live && snapshot.crashed && <CrashedPage client={client} mine={mine} />}
        {live && snapshot.dialog !== null && (
          <PageDialog
            client={client}
            dialog={snapshot.dialog}
            mine={mine}
            holder={machine.lease?.operator ?? null}
            onGone={() => session.current?.focus()}
          />
        )}
        {live && mine && snapshot.chooser !== null && snapshot.dialog === null && (
          <FileChooser client={client} name={machine.name} onGone={() => session.current?.focus()} />
        )}
        {condition.kind === 'panel' && (
          <LivePanel
            machineId={machineId}
            condition={condition}
            pictureAt={snapshot.pictureAt}
            busy={working || waking || (condition.action === 'start-local' && localStarting)}
            onAction={act}
            other={condition.action === 'start-browser' && <StartDesktop machine={machine} desktop={desktop} />}
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
  const { recalled, pictureAt } = snapshot
  return (
    <>
      {(again || recalled) && <div className={styles.veil} />}
      <div className={styles.notice} role="status" data-testid="live-notice">
        <span title={snapshot.problem?.detail}>
          {again && !recalled ? 'The picture broke off. Reconnecting…' : 'Connecting to the picture…'}{' '}
          {recalled && pictureAt !== null && <PictureAge at={pictureAt} />}
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
