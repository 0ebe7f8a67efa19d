import { Eye, Hand, Plus } from 'lucide-react'
import type { CallName, CallParams } from '../../../shared/contract/index.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { callAgent } from '../../app/bridge.ts'
import { useBusy, work } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { useNow } from '../../ui/clock.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { formatLeft } from '../../ui/time.ts'
import { openGiveBack } from '../machine/operations.ts'
import { AddressForm } from '../navigation/AddressForm.tsx'
import { giveUp, goOn } from '../navigation/going.ts'
import { PageTabs } from '../navigation/PageTabs.tsx'
import { OpenDevTools } from './devtools/OpenDevTools.tsx'
import styles from './Inspector.module.css'
import type { InspectorSession, InspectorSnapshot } from './session.ts'
import { hasPage } from './sessions.ts'
import { TakeOverButton, whyReadOnly } from './takeOver.tsx'

interface AddressBarProps {
  machine: MachineView
  session: InspectorSession
  snapshot: InspectorSnapshot
}

/** Where the page is and which others there are, with the way to full DevTools and who has control. */
export function AddressBar({ machine, session, snapshot }: AddressBarProps) {
  const { tab, tabs, phase } = snapshot
  const going = useBusy(`go:${machine.id}`)
  const tabbing = useBusy(`tabs:${machine.id}`)
  const why = whyReadOnly(machine)
  const may = why === undefined && (phase === 'open' || tabs.length === 0)
  const act = <Name extends CallName>(what: string, name: Name, params: CallParams<Name>) => {
    const task = async () => {
      await toFront(machine.id, name, snapshot)
      await callAgent(machine.id, name, params)
      session.refresh()
    }
    // A page that loads slowly keeps nobody from another tab.
    if (name.startsWith('tabs.')) void work(`tabs:${machine.id}`, what, task)
    else void goOn(`go:${machine.id}`, what, task)
  }
  const stop = () =>
    void work(`stop:${machine.id}`, 'Stopping', async () => {
      await giveUp(`go:${machine.id}`, () => session.control('Page.stopLoading'))
      session.refresh()
    })
  return (
    <>
      <AddressForm
        id="inspector"
        url={tab?.url ?? null}
        may={may}
        why={why}
        going={going}
        onGo={(url) => act('Going there', 'browser.navigate', { url, waitUntil: 'domcontentloaded' })}
        onBack={() => act('Going back', 'browser.back', {})}
        onForward={() => act('Going forward', 'browser.forward', {})}
        onReload={(ignoreCache) => act('Reloading', 'browser.reload', { ignoreCache })}
        onStop={stop}
      >
        <OpenDevTools machine={machine} targetId={tab?.id} />
        <Control machine={machine} />
      </AddressForm>
      {hasPage(machine) && (
        <PageTabs
          id="inspector"
          tabs={tabs}
          shown={tab?.id}
          choosable
          closable={may}
          onChoose={({ id, active }) => {
            session.inspect(active ? null : id)
            if (may && !active) act('Changing the tab', 'tabs.activate', { id })
          }}
          onClose={({ id }) => act('Closing the tab', 'tabs.close', { id })}
        >
          <IconButton
            label={why === undefined ? 'New tab' : `New tab: ${why}`}
            icon={<Plus size={15} aria-hidden />}
            disabled={!may || tabbing}
            data-testid="inspector-new-tab"
            onClick={() => act('Opening a tab', 'tabs.open', {})}
          />
          {snapshot.chosen && tab !== null && !tab.active && <span className={styles.aside}>Not the tab in front</span>}
        </PageTabs>
      )}
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
      {hasPage(machine) && <TakeOverButton machine={machine} />}
      {lease?.mine === true && (
        <Button variant="person" data-testid="inspector-give-back" onClick={() => openGiveBack(machine)}>
          Give back
        </Button>
      )}
    </span>
  )
}
