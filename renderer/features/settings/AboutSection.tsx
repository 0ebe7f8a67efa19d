import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef, useState } from 'react'
import type { AppInfo } from '../../../shared/ipc.ts'
import type { Licences } from '../../../shared/ipc-settings.ts'
import { Card } from '../../ui/Card.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import styles from './Settings.module.css'
import { useAnswer } from './useAnswer.ts'

type Package = Licences['packages'][number]
const rowPx = 30

/** What this console is, and what it is made of. */
export function AboutSection({ info }: { info: AppInfo }) {
  const versions: [string, string][] = [
    ['Pilothouse', info.version],
    ['Electron', info.electron],
    ['Chromium', /Chrome\/([\d.]+)/.exec(navigator.userAgent)?.[1] ?? 'unknown'],
    ['System', info.platform],
  ]
  const text = versions.map(([name, version]) => `${name} ${version}`).join('\n')
  return (
    <>
      <Card title="Versions" aside={<CopyButton text={text} label="Copy the versions" />}>
        <dl className={styles.facts}>
          {versions.map(([name, version]) => (
            <div key={name} className={styles.fact}>
              <dt>{name}</dt>
              <dd>{version}</dd>
            </div>
          ))}
        </dl>
      </Card>
      <LicencesCard />
    </>
  )
}

function LicencesCard() {
  const { answer, problem } = useAnswer('about.licences')
  const [query, setQuery] = useState('')
  const [open, setOpen] = useState<Package | null>(null)
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const shown = (answer?.packages ?? []).filter(({ name, licence }) => {
    const text = `${name} ${licence}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  return (
    <Card
      title="Licences"
      aside={answer === null ? '' : `${shown.length} of ${answer.packages.length}`}
      data-testid="licences"
    >
      {problem !== null && <ErrorText problem={problem} />}
      <p className={styles.note}>
        Pilothouse has the MIT licence. It comes with the work of others, each with its own:
      </p>
      <div className={styles.tools}>
        <SearchField
          label="Search the licences"
          placeholder="A package or a licence"
          value={query}
          onChange={setQuery}
          testId="licences-search"
        />
      </div>
      <PackageList packages={shown} onOpen={setOpen} />
      <Dialog
        open={open !== null}
        onClose={() => setOpen(null)}
        title={open === null ? 'Licence' : `${open.name} ${open.version}`}
        description={open?.licence}
        size="full"
      >
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys scroll what has the focus */}
        <pre className={styles.licenceText} tabIndex={0} data-testid="licence-text">
          {open === null ? '' : answer?.texts[open.text]}
        </pre>
      </Dialog>
    </Card>
  )
}

function PackageList({ packages, onOpen }: { packages: readonly Package[]; onOpen: (one: Package) => void }) {
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: packages.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 6,
  })
  return (
    <div ref={scroller} className={styles.packages}>
      <ul className={styles.rows} style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map((item) => {
          const one = packages[item.index]
          if (one === undefined) return null
          return (
            <li key={item.key} className={styles.package} style={{ transform: `translateY(${item.start}px)` }}>
              <button type="button" className={styles.packageButton} onClick={() => onOpen(one)}>
                <span className={styles.packageName}>
                  {one.name} <span className={styles.quiet}>{one.version}</span>
                </span>
                <span className={styles.quiet}>{one.licence}</span>
              </button>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
