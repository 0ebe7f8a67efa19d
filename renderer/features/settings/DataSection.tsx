import { Download } from 'lucide-react'
import type { DataPart } from '../../../shared/ipc-settings.ts'
import { call } from '../../app/bridge.ts'
import { confirm } from '../../app/ui.store.ts'
import { useBusy, work } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { toast } from '../../ui/Toast.tsx'
import { countOf, formatBytes, partTexts } from './data.ts'
import styles from './Settings.module.css'
import { useAnswer } from './useAnswer.ts'

/** What this console keeps on this computer, how much that is, and how it is taken along or let go of. */
export function DataSection() {
  const { answer: sizes, setAnswer, problem } = useAnswer('data.sizes')
  const exporting = useBusy('data-export')
  const save = () =>
    void work('data-export', 'The export', async () => {
      const { file, bytes } = await call('data.export', {})
      if (file !== null) toast({ title: `${formatBytes(bytes)} written`, detail: file, id: 'data-export' })
    })
  const clear = (part: DataPart) =>
    confirm({
      title: `Clear “${partTexts[part].title}”?`,
      text: `${partTexts[part].text} It cannot be brought back here.`,
      action: 'Clear',
      run: () => work('data-clear', 'Clearing it', async () => setAnswer(await call('data.clear', { parts: [part] }))),
    })
  const clearAll = (machines: number) =>
    confirm({
      title: 'Clear everything and begin anew?',
      text: `This console forgets its ${machines === 1 ? 'machine' : `${machines} machines`}, every secret it keeps for them, its settings, its history and its own record of what was done. The machines themselves lose nothing and go on; add them again with their secrets. The console then starts as on its first day.`,
      action: 'Clear everything',
      typed: 'clear everything',
      run: () => work('data-clear', 'Clearing everything', async () => void (await call('data.clearAll', {}))),
    })
  if (sizes === null) return problem === null ? null : <ErrorText problem={problem} />
  return (
    <>
      <Card title="On this computer" aside={formatBytes(sizes.bytes)}>
        <dl className={styles.facts}>
          <div className={styles.fact}>
            <dt>Store</dt>
            <dd className={styles.filePath}>
              <code>{sizes.file}</code>
              <CopyButton text={sizes.file} label="Copy the path" />
            </dd>
          </div>
          <div className={styles.fact}>
            <dt>Machines</dt>
            <dd>{sizes.machines}</dd>
          </div>
          <div className={styles.fact}>
            <dt>Own record</dt>
            <dd>{formatBytes(sizes.auditBytes)}; it is a chain, and goes only with everything</dd>
          </div>
        </dl>
        <div className={styles.end}>
          <Button icon={<Download size={15} aria-hidden />} busy={exporting} onClick={save} data-testid="data-export">
            Export as JSON…
          </Button>
        </div>
      </Card>
      <Card title="Clear a part">
        <ul className={styles.rows}>
          {sizes.parts.map(({ part, rows, bytes }) => (
            <li key={part} className={styles.row} data-testid={`data-${part}`}>
              <div className={styles.what}>
                <span className={styles.name}>{partTexts[part].title}</span>
                <span className={styles.quiet}>
                  {countOf(rows, partTexts[part].rows)}, {formatBytes(bytes)}
                </span>
              </div>
              <Button
                disabled={rows === 0}
                aria-label={`Clear ${partTexts[part].title.toLowerCase()}…`}
                onClick={() => clear(part)}
              >
                Clear…
              </Button>
            </li>
          ))}
        </ul>
      </Card>
      <Card title="Begin anew">
        <div className={styles.row}>
          <div className={styles.what}>
            <span className={styles.quiet}>
              Machines, secrets, settings and history of this console go. No machine loses anything.
            </span>
          </div>
          <Button variant="danger" onClick={() => clearAll(sizes.machines)} data-testid="data-clear-all">
            Clear everything…
          </Button>
        </div>
      </Card>
    </>
  )
}
