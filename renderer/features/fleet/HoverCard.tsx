import { type CSSProperties, useLayoutEffect, useRef, useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { Age } from '../../ui/Age.tsx'
import { machineTypeNames } from '../machine/look.ts'
import { MachineStateBadge } from '../machine/MachineStateBadge.tsx'
import { driverOf } from './driver.ts'
import { healthLooks, healthOf, troubleOf } from './health.ts'
import styles from './Map.module.css'

const gap = 8

/** What a tile stands for; beside it, and within the window. Said to screen readers by the tile itself. */
export function HoverCard({ machine, tile }: { machine: MachineView; tile: HTMLElement | null }) {
  const card = useRef<HTMLDivElement>(null)
  const [place, setPlace] = useState<CSSProperties>({ visibility: 'hidden' })
  useLayoutEffect(() => {
    if (tile === null || card.current === null) return
    const at = tile.getBoundingClientRect()
    const { width, height } = card.current.getBoundingClientRect()
    const left = Math.min(at.left, window.innerWidth - width - gap)
    const below = at.bottom + gap
    setPlace({ left, top: below + height > window.innerHeight ? at.top - gap - height : below })
  }, [tile])
  const trouble = troubleOf(machine)
  const facts: [string, string | null][] = [
    ['Health', healthLooks[healthOf(machine)].word],
    ['Driving', driverOf(machine)],
    ['Type', machineTypeNames[machine.machineType]],
    ['Address', machine.address],
    ['CPU', machine.metrics === null ? null : `${Math.round(machine.metrics.cpu.usagePercent)} %`],
    ['Image', machine.imageTag],
  ]
  return (
    <div ref={card} className={styles.card} style={place} aria-hidden data-testid="hover-card">
      <div className={styles.cardHead}>
        <bdi>{machine.name}</bdi>
        <MachineStateBadge machine={machine} />
      </div>
      <dl>
        {facts.flatMap(([name, value]) =>
          value === null
            ? []
            : [
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>,
              ],
        )}
        <div>
          <dt>Seen</dt>
          <dd>
            <Age at={machine.lastVerifiedAt} />
          </dd>
        </div>
      </dl>
      {trouble !== null && <p>{trouble.detail}</p>}
    </div>
  )
}
