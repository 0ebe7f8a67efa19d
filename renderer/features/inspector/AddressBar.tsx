import { ArrowLeft, ArrowRight, CircleStop, Eye, Hand, Plus, RotateCw, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { CallName, CallParams } from '../../../shared/contract/index.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { callAgent } from '../../app/bridge.ts'
import { useBusy, work } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { useNow } from '../../ui/clock.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { toast } from '../../ui/Toast.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import { formatLeft } from '../../ui/time.ts'
import { shownAddress } from '../live/shownAddress.ts'
import { typedAddress } from '../live/typedAddress.ts'
import { openGiveBack } from '../machine/operations.ts'
import { OpenDevTools } from './devtools/OpenDevTools.tsx'
import styles from './Inspector.module.css'
import type { InspectorSession, InspectorSnapshot } from './session.ts'
import { TakeOverButton, whyReadOnly } from './takeOver.tsx'

interface AddressBarProps {
  machine: MachineView
  session: InspectorSession
  snapshot: InspectorSnapshot
}

/** Where the page is, and the ways to another one. Reading is for everyone; going anywhere is for whoever has control. */
export function AddressBar({ machine, session, snapshot }: AddressBarProps) {
  const { tab, tabs, phase } = snapshot
  const [typed, setTyped] = useState<string | null>(null)
  const going = useBusy(`go:${machine.id}`)
  const tabbing = useBusy(`tabs:${machine.id}`)
  const why = whyReadOnly(machine)
  const may = why === undefined && (phase === 'open' || tabs.length === 0)
  const label = (title: string) => (why === undefined ? title : `${title}: ${why}`)
  const act = <Name extends CallName>(what: string, name: Name, params: CallParams<Name>) =>
    // A page that loads slowly keeps nobody from another tab.
    work(`${name.startsWith('tabs.') ? 'tabs' : 'go'}:${machine.id}`, what, async () => {
      await toFront(machine.id, name, snapshot)
      await callAgent(machine.id, name, params)
      session.refresh()
    })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (typed === null || !may) return
    const url = typedAddress(typed)
    if (url === null) {
      toast({
        title: 'That is not an address',
        detail: 'Type one such as example.org/page.',
        kind: 'problem',
        id: 'go',
      })
      return
    }
    ;(document.activeElement as HTMLElement | null)?.blur()
    setTyped(null)
    await act('Going there', 'browser.navigate', { url, waitUntil: 'domcontentloaded' })
  }
  const stop = () =>
    void work(`stop:${machine.id}`, 'Stopping', async () => {
      await session.control('Page.stopLoading')
    })
  return (
    <>
      <form className={styles.address} onSubmit={submit} aria-label="Navigation">
        <IconButton
          label={label('Back')}
          icon={<ArrowLeft size={15} aria-hidden />}
          disabled={!may || going}
          data-testid="inspector-back"
          onClick={() => void act('Going back', 'browser.back', {})}
        />
        <IconButton
          label={label('Forward')}
          icon={<ArrowRight size={15} aria-hidden />}
          disabled={!may || going}
          data-testid="inspector-forward"
          onClick={() => void act('Going forward', 'browser.forward', {})}
        />
        {going ? (
          <IconButton
            label={label('Stop loading')}
            icon={<CircleStop size={14} aria-hidden />}
            disabled={why !== undefined}
            data-testid="inspector-stop"
            onClick={stop}
          />
        ) : (
          <IconButton
            label={label('Reload; with Shift past the cache')}
            icon={<RotateCw size={14} aria-hidden />}
            disabled={!may}
            data-testid="inspector-reload"
            onClick={(event) => void act('Reloading', 'browser.reload', { ignoreCache: event.shiftKey })}
          />
        )}
        <input
          className={styles.url}
          aria-label="Address of the page"
          data-testid="inspector-url"
          readOnly={!may}
          spellCheck={false}
          autoComplete="off"
          value={typed ?? shownAddress(tab?.url)}
          onFocus={(event) => {
            if (!may) return
            setTyped(tab?.url ?? '')
            const field = event.currentTarget
            requestAnimationFrame(() => field.select())
          }}
          onBlur={() => setTyped(null)}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return
            event.stopPropagation()
            event.currentTarget.blur()
          }}
        />
        <OpenDevTools machine={machine} targetId={tab?.id} />
        <Control machine={machine} />
      </form>
      <div className={styles.tabs} role="toolbar" aria-label="Tabs of the browser" data-testid="inspector-tabs">
        {tabs.map((one) => (
          <span key={one.id} className={styles.pageTab} data-active={one.id === tab?.id ? '' : undefined}>
            <button
              type="button"
              aria-pressed={one.id === tab?.id}
              title={one.url}
              data-testid="inspector-tab"
              onClick={() => {
                session.inspect(one.active ? null : one.id)
                if (may && !one.active) void act('Changing the tab', 'tabs.activate', { id: one.id })
              }}
            >
              {one.active && (
                <Tooltip text="In front">
                  <span className={styles.front} role="img" aria-label="In front" />
                </Tooltip>
              )}
              <span>{one.title || shownAddress(one.url)}</span>
            </button>
            {tabs.length > 1 && may && (
              <IconButton
                label={`Close ${one.title || 'the tab'}`}
                icon={<X size={13} aria-hidden />}
                onClick={() => void act('Closing the tab', 'tabs.close', { id: one.id })}
              />
            )}
          </span>
        ))}
        <IconButton
          label={label('New tab')}
          icon={<Plus size={15} aria-hidden />}
          disabled={!may || tabbing}
          data-testid="inspector-new-tab"
          onClick={() => void act('Opening a tab', 'tabs.open', {})}
        />
        {snapshot.chosen && tab !== null && !tab.active && <span className={styles.aside}>Not the tab in front</span>}
      </div>
    </>
  )
}

/** The agent's calls act on the tab in front: the one that is looked at is brought there first. */
async function toFront(machineId: string, name: CallName, { tab }: InspectorSnapshot): Promise<void> {
  if (tab === null || tab.active || name.startsWith('tabs.')) return
  await callAgent(machineId, 'tabs.activate', { id: tab.id })
}

function Left({ expiresAt }: { expiresAt: string }) {
  const left = Date.parse(expiresAt) - useNow()
  return <span className={styles.left}>{formatLeft(Math.max(0, left))} left</span>
}

function Control({ machine }: { machine: MachineView }) {
  const { lease } = machine
  return (
    <span className={styles.control} data-tone={lease === null ? undefined : 'person'} data-testid="inspector-control">
      {lease === null ? <Eye size={14} aria-hidden /> : <Hand size={14} aria-hidden />}
      {lease === null ? 'Read only' : lease.mine ? 'You have control' : `${lease.operator} has control`}
      {lease?.mine === true && <Left expiresAt={lease.expiresAt} />}
      {machine.browser?.state === 'active' && <TakeOverButton machine={machine} />}
      {lease?.mine === true && (
        <Button variant="person" data-testid="inspector-give-back" onClick={() => openGiveBack(machine)}>
          Give back
        </Button>
      )}
    </span>
  )
}
