import { useEffect, useRef } from 'react'
import type { TunnelTestLink } from '../../../shared/ipc.ts'
import { StateDot } from '../../ui/StateDot.tsx'
import styles from './Fleet.module.css'

const looks = {
  up: { tone: 'up', shape: 'round' },
  down: { tone: 'broken', shape: 'diamond' },
  unknown: { tone: 'unknown', shape: 'diamond' },
} as const
const words = { up: 'holds', down: 'broken', unknown: 'not tried' } as const

/** The links of a way that was tried, each with its light. */
export function TunnelTest({ links }: { links: readonly TunnelTestLink[] }) {
  const list = useRef<HTMLUListElement>(null)
  // A form may be longer than its dialog, and this stands at its end.
  useEffect(() => list.current?.scrollIntoView({ block: 'center' }), [])
  return (
    <ul
      ref={list}
      className={styles.links}
      aria-label="What the test found"
      data-testid="tunnel-test"
      aria-live="polite"
    >
      {links.map(({ name, state, detail }) => (
        <li key={name} data-state={state}>
          <StateDot {...looks[state]} />
          <strong>{name}</strong>
          <span className="visually-hidden">{words[state]}</span>
          <span>{detail}</span>
        </li>
      ))}
    </ul>
  )
}
