import { MonitorOff } from 'lucide-react'
import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { callAgent, problemOf } from '../../app/bridge.ts'
import { go } from '../../app/route.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { useFleet } from '../fleet/fleet.store.ts'
import { machineLook } from '../machine/look.ts'
import { shownAddress } from '../navigation/shownAddress.ts'
import { type Rounds, startRounds } from './rounds.ts'
import styles from './Wall.module.css'

/** A new picture of each machine in sight this often at most: enough to see that something is stuck. */
const everyMs = 2000
/** So many machines draw at the same time. */
const atOnce = 4
/** How sharp a thumbnail has to be, in percent of JPEG quality. */
const quality = 35

type Draw = (picture: ImageBitmap) => void

/** What every browser of the fleet shows, small, as long as someone looks. */
export function WallScreen() {
  const machines = useFleet((state) => state.machines)
  const shown = useMemo(
    () =>
      Object.values(machines)
        .filter((machine) => machine.state === 'running' && machine.browser?.state === 'active')
        .sort((a, b) => Number(b.lease !== null) - Number(a.lease !== null) || a.name.localeCompare(b.name)),
    [machines],
  )
  const wall = useWall()
  if (shown.length === 0)
    return (
      <EmptyState
        icon={<MonitorOff size={26} aria-hidden />}
        title="No browser runs"
        text="Machines appear here while their browser is on."
      />
    )
  return (
    <ul className={styles.wall} data-testid="wall">
      {shown.map((machine) => (
        <Tile key={machine.id} machine={machine} problem={wall.problems[machine.id]} join={wall.join} />
      ))}
    </ul>
  )
}

interface TileProps {
  machine: MachineView
  problem: string | undefined
  join: (id: string, element: Element, draw: Draw) => () => void
}

const Tile = memo(function Tile({ machine, problem, join }: TileProps) {
  const frame = useRef<HTMLButtonElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    if (frame.current === null) return
    return join(machine.id, frame.current, (picture) => {
      const target = canvas.current
      if (target === null) return
      // Drawn at the size it has on screen: a wall of full pictures would fill the memory.
      const width = Math.round(target.clientWidth * devicePixelRatio)
      const height = Math.max(1, Math.round((width * picture.height) / picture.width))
      if (target.width !== width || target.height !== height) Object.assign(target, { width, height })
      target.getContext('2d')?.drawImage(picture, 0, 0, width, height)
      target.dataset['drawn'] = String(Number(target.dataset['drawn'] ?? 0) + 1)
    })
  }, [machine.id, join])
  const look = machineLook(machine)
  return (
    <li>
      <button
        ref={frame}
        type="button"
        className={styles.tile}
        data-testid="wall-tile"
        data-machine={machine.id}
        data-person={machine.lease !== null ? '' : undefined}
        onClick={() => go({ screen: 'machine', machineId: machine.id, tab: 'live' })}
      >
        <span className={styles.picture}>
          <canvas ref={canvas} width={0} height={0} aria-hidden />
          {problem !== undefined && <span className={styles.problem}>{problem}</span>}
        </span>
        <span className={styles.label}>
          <StateDot {...look} />
          <b>{machine.name}</b>
          <span>{machine.lease === null ? look.word : machine.lease.mine ? 'you' : machine.lease.operator}</span>
        </span>
        <span className={styles.url}>{shownAddress(machine.browser?.url)}</span>
      </button>
    </li>
  )
})

/** Keeps the tiles in sight fresh, and leaves the rest of the fleet alone. */
function useWall() {
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const draws = useRef(new Map<string, Draw>())
  const inSight = useRef(new Set<string>())
  const rounds = useRef<Rounds | null>(null)
  const observer = useRef<IntersectionObserver | null>(null)

  const tell = useCallback(() => {
    rounds.current?.see(document.visibilityState === 'visible' ? new Set(inSight.current) : new Set())
  }, [])
  const watch = useCallback((): IntersectionObserver => {
    observer.current ??= new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        const id = (target as HTMLElement).dataset['machine'] ?? ''
        if (isIntersecting) inSight.current.add(id)
        else inSight.current.delete(id)
      }
      tell()
    })
    return observer.current
  }, [tell])

  useEffect(() => {
    rounds.current = startRounds({
      everyMs,
      atOnce,
      look: async (id) => {
        try {
          const picture = await pictureOf(id)
          draws.current.get(id)?.(picture)
          picture.close()
          setProblems(({ [id]: had, ...others }) => (had === undefined ? { ...others } : others))
        } catch (error) {
          setProblems((known) => ({ ...known, [id]: problemOf(error).title }))
        }
      },
    })
    tell()
    document.addEventListener('visibilitychange', tell)
    return () => {
      document.removeEventListener('visibilitychange', tell)
      rounds.current?.stop()
      rounds.current = null
      observer.current?.disconnect()
      observer.current = null
    }
  }, [tell])

  const join = useCallback(
    (id: string, element: Element, draw: Draw) => {
      draws.current.set(id, draw)
      watch().observe(element)
      return () => {
        observer.current?.unobserve(element)
        draws.current.delete(id)
        inSight.current.delete(id)
        tell()
      }
    },
    [watch, tell],
  )
  return { problems, join }
}

async function pictureOf(machineId: string): Promise<ImageBitmap> {
  const { bytes } = await callAgent(machineId, 'browser.screenshot', { format: 'jpeg', quality })
  return createImageBitmap(new Blob([bytes.slice()], { type: 'image/jpeg' }))
}
