import { Columns2, Plus, Rows2, Search, SquareTerminal, X } from 'lucide-react'
import { useEffect } from 'react'
import { isUp } from '../../../shared/domain/lifecycle.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { keysOf } from '../../app/actions.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { wake } from '../power/operations.ts'
import { LinkDialog } from './LinkDialog.tsx'
import { panes } from './layout.ts'
import { PasteDialog } from './PasteDialog.tsx'
import { SplitView } from './SplitView.tsx'
import { closeTab, openFirst, openTerminal, sessionOf, splitTerminal } from './sessions.ts'
import styles from './Terminal.module.css'
import { showTab, type TerminalTab as Tab, useTerminals } from './terminals.store.ts'

/** Shells on the machine: several, split, searched, and past a dead agent over SSH. */
export function TerminalTab({ machine }: { machine: MachineView }) {
  const of = useTerminals((state) => state.machines[machine.id])
  const tabs = of?.tabs ?? []
  const active = tabs.find(({ id }) => id === of?.active)
  const canOpen = isUp(machine)
  const first = useTerminals((state) => state.machines[machine.id] === undefined)
  useEffect(() => {
    // Whoever comes here the first time wants a shell.
    if (first && canOpen) void openFirst(machine.id)
  }, [first, canOpen, machine.id])
  const focused = active?.focused
  useEffect(() => {
    if (focused !== undefined) sessionOf(focused)?.focus()
  }, [focused])
  return (
    <div className={styles.root} data-testid="terminals">
      {tabs.length > 0 && <Bar machine={machine} tabs={tabs} active={active} />}
      {active === undefined ? (
        <NoTerminal machine={machine} canOpen={canOpen} />
      ) : (
        <div className={styles.body} key={active.id}>
          <SplitView machine={machine} tab={active} layout={active.layout} way="" />
        </div>
      )}
      <LinkDialog />
      <PasteDialog machine={machine} />
    </div>
  )
}

function Bar({ machine, tabs, active }: { machine: MachineView; tabs: readonly Tab[]; active: Tab | undefined }) {
  const bySsh = machine.tunnel.kind === 'ssh'
  const entries = [
    {
      id: 'terminal-agent',
      title: 'New terminal',
      keys: keysOf('terminal.new'),
      run: () => openTerminal(machine.id, 'agent'),
    },
    {
      id: 'terminal-ssh',
      title: 'New terminal over SSH',
      keys: keysOf('terminal.ssh'),
      run: () => openTerminal(machine.id, 'ssh'),
    },
  ]
  const add = (
    <IconButton
      label="New terminal"
      keys={keysOf('terminal.new')}
      icon={<Plus size={16} aria-hidden />}
      data-testid="terminal-new"
    />
  )
  return (
    <div className={styles.bar}>
      {/* Not a list of tabs: each has a second button, which those may not hold. */}
      <nav className={styles.tabs} aria-label={`Terminals of ${machine.name}`}>
        {tabs.map((tab, place) => (
          <TabButton key={tab.id} machine={machine} tab={tab} place={place} active={tab.id === active?.id} />
        ))}
      </nav>
      {bySsh ? (
        <Menu trigger={add} entries={entries} align="start" />
      ) : (
        <IconButton
          label="New terminal"
          keys={keysOf('terminal.new')}
          icon={<Plus size={16} aria-hidden />}
          data-testid="terminal-new"
          onClick={() => openTerminal(machine.id, 'agent')}
        />
      )}
      <div className={styles.tools}>
        <IconButton
          label="Find"
          keys={keysOf('terminal.find')}
          icon={<Search size={15} aria-hidden />}
          data-testid="terminal-find"
          onClick={() => useTerminals.setState({ finding: active?.focused ?? null })}
        />
        <IconButton
          label="Split to the right"
          keys={keysOf('terminal.split-right')}
          icon={<Columns2 size={15} aria-hidden />}
          data-testid="terminal-split-right"
          onClick={() => splitTerminal(machine.id, 'row')}
        />
        <IconButton
          label="Split downwards"
          keys={keysOf('terminal.split-down')}
          icon={<Rows2 size={15} aria-hidden />}
          data-testid="terminal-split-down"
          onClick={() => splitTerminal(machine.id, 'column')}
        />
      </div>
    </div>
  )
}

function TabButton({
  machine,
  tab,
  place,
  active,
}: {
  machine: MachineView
  tab: Tab
  place: number
  active: boolean
}) {
  const terminal = useTerminals((state) => state.terminals[tab.focused])
  const count = panes(tab.layout).length
  const name = terminal?.title || `${terminal?.kind === 'ssh' ? 'SSH' : 'Shell'} ${place + 1}`
  return (
    <div className={styles.tab} data-active={active || undefined}>
      <button
        type="button"
        aria-current={active || undefined}
        className={styles.tabTitle}
        title={name}
        onClick={() => {
          showTab(machine.id, tab.id)
          sessionOf(tab.focused)?.focus()
        }}
      >
        <span className={styles.phase} data-phase={terminal?.state.phase} aria-hidden />
        <span className={styles.tabText}>{name}</span>
        {count > 1 && <span className={styles.count}>{count}</span>}
      </button>
      <button
        type="button"
        className={styles.tabClose}
        aria-label={`Close ${name}`}
        onClick={() => closeTab(machine.id, tab)}
      >
        <X size={13} aria-hidden />
      </button>
    </div>
  )
}

function NoTerminal({ machine, canOpen }: { machine: MachineView; canOpen: boolean }) {
  const bySsh = machine.tunnel.kind === 'ssh'
  if (canOpen) {
    return (
      <EmptyState
        icon={<SquareTerminal size={26} aria-hidden />}
        title="No terminal is open"
        text={`A login shell on ${machine.name}, of the user its agent runs as.`}
        action={
          <Button variant="primary" data-testid="terminal-open" onClick={() => openTerminal(machine.id, 'agent')}>
            Open a terminal
          </Button>
        }
      />
    )
  }
  return (
    <EmptyState
      icon={<SquareTerminal size={26} aria-hidden />}
      title={`${machine.name} is ${machine.state}`}
      text={
        bySsh
          ? `Its agent does not answer, so it gives no terminal. SSH may still do: such a shell runs as the user who logs in, and the agent does not record it. ${machine.problem?.detail ?? ''}`
          : `Its agent gives the terminals, and does not answer. ${machine.problem?.detail ?? ''}`
      }
      action={
        bySsh ? (
          <Button variant="primary" data-testid="terminal-open-ssh" onClick={() => openTerminal(machine.id, 'ssh')}>
            Open over SSH
          </Button>
        ) : (
          <Button onClick={() => void wake(machine)}>Wake {machine.name}</Button>
        )
      }
    />
  )
}
