import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import type { Layout } from './layout.ts'
import styles from './Terminal.module.css'
import { TerminalPane } from './TerminalPane.tsx'
import { resizeSplit, type TerminalTab } from './terminals.store.ts'

interface SplitViewProps {
  machine: MachineView
  tab: TerminalTab
  layout: Layout
  /** The way to this part of the layout. */
  way: string
}

/** One pane, or two parts with a bar between them that can be moved. */
export function SplitView({ machine, tab, layout, way }: SplitViewProps) {
  const box = useRef<HTMLDivElement>(null)
  if (layout.kind === 'pane') return <TerminalPane key={layout.id} machine={machine} tab={tab} id={layout.id} />
  const { direction, share, first, second } = layout
  const set = (next: number) => resizeSplit(machine.id, tab.id, way, next)
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    const bounds = box.current?.getBoundingClientRect()
    if (bounds === undefined || !event.currentTarget.hasPointerCapture(event.pointerId)) return
    set(
      direction === 'row' ? (event.clientX - bounds.left) / bounds.width : (event.clientY - bounds.top) / bounds.height,
    )
  }
  const step = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -0.04, ArrowUp: -0.04, ArrowRight: 0.04, ArrowDown: 0.04 }[event.key]
    if (by === undefined) return
    event.preventDefault()
    set(share + by)
  }
  return (
    <div ref={box} className={styles.split} data-direction={direction}>
      <div className={styles.part} style={{ flexGrow: share }}>
        <SplitView machine={machine} tab={tab} layout={first} way={`${way}0`} />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a splitter that can be moved has no element of its own */}
      <div
        role="separator"
        tabIndex={0}
        aria-label="Move the line between the panes"
        aria-orientation={direction === 'row' ? 'vertical' : 'horizontal'}
        aria-valuenow={Math.round(share * 100)}
        className={styles.gutter}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onKeyDown={step}
      />
      <div className={styles.part} style={{ flexGrow: 1 - share }}>
        <SplitView machine={machine} tab={tab} layout={second} way={`${way}1`} />
      </div>
    </div>
  )
}
