import { ImageOff, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { callAgent, problemOf } from '../../app/bridge.ts'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { isReachable } from '../machine/reach.ts'
import { shapeOf, tookText } from './EntryList.tsx'
import { kindName, type Placed } from './lanes.ts'
import { exactTime } from './scale.ts'
import { sourcesOf } from './sources.ts'
import styles from './Timeline.module.css'

/** One entry with all that is known of it, its picture, and the ways to its sources. */
export function EntryDetail({
  machine,
  placed,
  onClose,
}: {
  machine: MachineView
  placed: Placed
  onClose: () => void
}) {
  const { entry, start, end, tone } = placed
  const took = tookText(placed)
  return (
    <aside className={styles.detail} aria-label="The chosen entry" data-testid="timeline-detail">
      <header className={styles.detailHead}>
        <StateDot tone={tone} shape={shapeOf(tone)} pulsing={entry.running} />
        <h2>{entry.title}</h2>
        <IconButton label="Close" icon={<X size={15} aria-hidden />} onClick={onClose} />
      </header>
      <div className={styles.detailBody}>
        <dl className={styles.facts}>
          <dt>When</dt>
          <dd>{exactTime(start)}</dd>
          {end > start && !entry.running && (
            <>
              <dt>Until</dt>
              <dd>{exactTime(end)}</dd>
            </>
          )}
          {took !== '' && (
            <>
              <dt>Took</dt>
              <dd>{took}</dd>
            </>
          )}
          <dt>Kind</dt>
          <dd>{kindName(entry.kind)}</dd>
          {entry.who !== null && (
            <>
              <dt>Who</dt>
              <dd>{entry.who}</dd>
            </>
          )}
          {entry.count > 1 && (
            <>
              <dt>How often</dt>
              <dd>{entry.count.toLocaleString('en')} times</dd>
            </>
          )}
        </dl>
        {entry.picture !== null && (
          <MomentPicture key={entry.picture} machine={machine} id={entry.picture} title={entry.title} />
        )}
        {entry.detail !== '' && <pre className={styles.text}>{entry.detail}</pre>}
      </div>
      <footer className={styles.links}>
        {sourcesOf(machine, entry).map(({ id, title, open }, index) => (
          <Button
            key={id}
            variant={index === 0 ? 'primary' : 'default'}
            data-testid={`timeline-open-${id}`}
            onClick={open}
          >
            {title}
          </Button>
        ))}
        <CopyButton text={`${entry.at} ${entry.title}\n${entry.detail}`} label="Copy the entry" />
      </footer>
    </aside>
  )
}

type Picture = { state: 'loading' } | { state: 'shown'; url: string } | { state: 'none'; why: string }

/** The page at that moment; a click shows it large. */
function MomentPicture({ machine, id, title }: { machine: MachineView; id: string; title: string }) {
  const [picture, setPicture] = useState<Picture>({ state: 'loading' })
  const [large, setLarge] = useState(false)
  const reachable = isReachable(machine)
  const machineId = machine.id
  useEffect(() => {
    let url: string | undefined
    let over = false
    if (!reachable) {
      setPicture({ state: 'none', why: 'The picture is on the machine, which cannot be asked now.' })
      return
    }
    callAgent(machineId, 'timeline.picture', { id }).then(
      ({ bytes }) => {
        if (over) return
        url = URL.createObjectURL(new Blob([bytes.slice()], { type: 'image/jpeg' }))
        setPicture({ state: 'shown', url })
      },
      (error: unknown) => {
        if (!over) setPicture({ state: 'none', why: problemOf(error).detail })
      },
    )
    return () => {
      over = true
      if (url !== undefined) URL.revokeObjectURL(url)
    }
  }, [machineId, reachable, id])
  if (picture.state === 'none')
    return (
      <p className={styles.noPicture}>
        <ImageOff size={15} aria-hidden /> {picture.why}
      </p>
    )
  if (picture.state === 'loading')
    return <div className={styles.picture} role="status" aria-label="Fetching the picture" />
  const alt = `The page at that moment: ${title}`
  return (
    <>
      <button
        type="button"
        className={styles.picture}
        aria-label="Show the picture large"
        onClick={() => setLarge(true)}
      >
        <img src={picture.url} alt={alt} data-testid="timeline-picture" />
      </button>
      <Dialog open={large} onClose={() => setLarge(false)} title={title} size="full">
        <img className={styles.large} src={picture.url} alt={alt} />
      </Dialog>
    </>
  )
}
