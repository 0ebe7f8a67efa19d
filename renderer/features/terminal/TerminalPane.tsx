import { X } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { useNow } from '../../ui/clock.ts'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { formatElapsed } from '../../ui/time.ts'
import { FindBar } from './FindBar.tsx'
import { splitLink } from './LinkDialog.tsx'
import { panes } from './layout.ts'
import { closePane, restartTerminal, sessionOf, startSession } from './sessions.ts'
import styles from './Terminal.module.css'
import { focusPane, type TerminalTab, type TerminalView, useTerminals } from './terminals.store.ts'

interface PaneProps {
  machine: MachineView
  tab: TerminalTab
  id: string
}

/** One shell: its picture, and above it what has to be said about it. */
export function TerminalPane({ machine, tab, id }: PaneProps) {
  const place = useRef<HTMLDivElement>(null)
  const terminal = useTerminals((state) => state.terminals[id])
  const finding = useTerminals((state) => state.finding === id)
  const several = panes(tab.layout).length > 1
  useEffect(() => {
    const session = sessionOf(id)
    if (place.current === null || session === undefined) return
    session.screen.attach(place.current)
    void startSession(id)
    session.focus()
    return () => session.screen.detach()
  }, [id])
  if (terminal === undefined) return null
  return (
    <section
      className={styles.pane}
      aria-label={`Terminal on ${machine.name}`}
      data-testid="terminal"
      data-phase={terminal.state.phase}
      data-kind={terminal.kind}
      data-renderer={terminal.renderer}
      data-focused={several && tab.focused === id ? '' : undefined}
      onFocus={() => focusPane(machine.id, tab.id, id)}
    >
      <Note machine={machine} id={id} terminal={terminal} />
      {finding && <FindBar id={id} />}
      <div ref={place} className={styles.screen} data-dim={terminal.state.phase === 'open' ? undefined : ''} />
      {several && (
        <span className={styles.paneClose}>
          <IconButton
            label="Close this pane"
            icon={<X size={14} aria-hidden />}
            onClick={() => closePane(machine.id, id)}
          />
        </span>
      )}
      {terminal.hovered !== null && <Hovered url={terminal.hovered} />}
    </section>
  )
}

/** Where the link under the pointer really leads, whatever its text says. */
function Hovered({ url }: { url: string }) {
  const { before, host, after } = splitLink(url)
  return (
    <div className={styles.hovered} data-testid="terminal-hovered">
      {before}
      <b>{host}</b>
      {after}
    </div>
  )
}

function Note({ machine, id, terminal }: { machine: MachineView; id: string; terminal: TerminalView }) {
  const { kind, state } = terminal
  const again = (
    <Button data-testid="terminal-again" onClick={() => restartTerminal(machine.id, id, kind)}>
      New shell
    </Button>
  )
  const overSsh = machine.tunnel.kind === 'ssh' && kind === 'agent' && (
    <Button data-testid="terminal-over-ssh" onClick={() => restartTerminal(machine.id, id, 'ssh')}>
      Open over SSH
    </Button>
  )
  switch (state.phase) {
    case 'open':
      if (kind === 'ssh') {
        return (
          <Line>
            <Badge tone="unknown">SSH</Badge>
            <span>Past the agent: not recorded by it, and gone when the connection is. In this console’s audit.</span>
          </Line>
        )
      }
      return state.recorded ? (
        <Line>
          <Badge tone="broken">Recorded</Badge>
          <span>Everything in this terminal is recorded on {machine.name}.</span>
        </Line>
      ) : null
    case 'connecting':
      return (
        <Line busy>
          <Waiting since={state.since} text={kind === 'ssh' ? 'Opening a shell over SSH' : 'Opening a shell'} />
        </Line>
      )
    case 'reattaching':
      return (
        <Line busy>
          <Reattaching since={state.since} until={state.until} name={machine.name} />
          {overSsh}
        </Line>
      )
    case 'taken':
      return (
        <Line>
          <span>{state.operator ?? 'Somebody'} attached to this shell. It goes on there.</span>
          <Button onClick={() => void sessionOf(id)?.takeBack()}>Take it back</Button>
        </Line>
      )
    case 'ended':
      return (
        <Line>
          <span data-testid="terminal-ended">{state.text}</span>
          {again}
          {overSsh}
        </Line>
      )
    case 'failed':
      return (
        <div className={styles.problem}>
          <ErrorText problem={state.problem} />
          <div className={styles.ways}>
            {again}
            {overSsh}
          </div>
        </div>
      )
  }
}

function Line({ busy = false, children }: { busy?: boolean; children: ReactNode }) {
  return (
    <div className={styles.note} role="status" data-busy={busy || undefined}>
      {children}
    </div>
  )
}

function Waiting({ since, text }: { since: number; text: string }) {
  const now = useNow()
  return (
    <span>
      {text} · {formatElapsed(now - since)}
    </span>
  )
}

function Reattaching({ since, until, name }: { since: number; until: number; name: string }) {
  const now = useNow()
  const left = Math.max(0, Math.ceil((until - now) / 1000))
  return (
    <span data-testid="terminal-reattaching">
      The line was cut {formatElapsed(now - since)} ago. The shell keeps running on {name}
      {left > 0 ? ` for another ${left} s` : ''}; attaching again.
    </span>
  )
}
