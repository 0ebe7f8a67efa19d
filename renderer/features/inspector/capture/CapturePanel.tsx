import { Camera, FileText, Save } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'
import { call } from '../../../app/bridge.ts'
import { useAsking } from '../../../app/useAsking.ts'
import { useBusy, work } from '../../../app/work.ts'
import { Age } from '../../../ui/Age.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Check } from '../../../ui/Check.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Input } from '../../../ui/Field.tsx'
import { Select } from '../../../ui/Select.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { PanelProblem } from '../PanelParts.tsx'
import type { PanelProps } from '../panels.tsx'
import { hasPage, useSnapshot } from '../sessions.ts'
import tools from '../tools.module.css'
import styles from './Capture.module.css'
import { type Captured, capture, captureTitles, firstWish, formatBytes, type Wish } from './capture.ts'

/** Longer texts are saved and copied whole, but shown only in part: a window that lays them out would stand still. */
const mostShown = 400_000

/** A picture, a text or a file of the page that is in front. */
export function CapturePanel({ machine, session }: PanelProps) {
  const { tab, tabs } = useSnapshot(session)
  const [wish, setWish] = useState<Wish>(firstWish)
  const [captured, setCaptured] = useState<Captured | null>(null)
  const { busy, problem, onSubmit } = useAsking()
  const front = tabs.find(({ active }) => active) ?? tab
  const able = hasPage(machine) && front !== null
  const take = async () => {
    if (able) setCaptured(await capture(machine.id, wish, { title: front.title, url: front.url }))
  }
  return (
    <div className={tools.panel} data-testid="capture-panel">
      <CaptureForm
        wish={wish}
        busy={busy !== null}
        able={able}
        onChange={setWish}
        onSubmit={onSubmit('submit', take)}
      />
      {tab !== null && !tab.active && (
        <p className={styles.aside}>This captures the tab in front, which is not the one that is looked at.</p>
      )}
      <PanelProblem problem={problem} />
      {captured === null ? (
        <EmptyState
          icon={<Camera size={26} aria-hidden />}
          title="Nothing captured yet"
          text="Choose what, then press Capture. It is shown here first; nothing is saved unless you say so."
        />
      ) : (
        <Result machineId={machine.id} captured={captured} />
      )}
    </div>
  )
}

interface CaptureFormProps {
  wish: Wish
  busy: boolean
  able: boolean
  onChange: (wish: Wish) => void
  onSubmit: (event: FormEvent<HTMLFormElement>) => void
}

function CaptureForm({ wish, busy, able, onChange, onSubmit }: CaptureFormProps) {
  const change = (changed: Partial<Wish>) => onChange({ ...wish, ...changed })
  const { what } = wish
  return (
    <form className={tools.bar} onSubmit={onSubmit} aria-label="What to capture" noValidate>
      <Select
        label="What to capture"
        value={what}
        options={captureTitles}
        onChange={(next) => change({ what: next })}
      />
      {what === 'screenshot' && (
        <>
          <Select
            label="Format"
            value={wish.format}
            options={{ png: 'PNG', jpeg: 'JPEG', webp: 'WebP' }}
            onChange={(format) => change({ format })}
          />
          {wish.format !== 'png' && (
            <span className={tools.inline}>
              <label htmlFor="capture-quality">Quality</label>
              <Input
                id="capture-quality"
                type="number"
                min={0}
                max={100}
                value={wish.quality}
                onChange={(event) =>
                  change({ quality: Math.min(100, Math.max(0, Math.round(event.target.valueAsNumber || 0))) })
                }
              />
            </span>
          )}
        </>
      )}
      {(what === 'screenshot' || what === 'html') && (
        <Input
          className={styles.selector}
          aria-label="CSS selector of one element"
          placeholder="CSS selector, for one element"
          value={wish.selector}
          data-testid="capture-selector"
          onChange={(event) => change({ selector: event.target.value })}
        />
      )}
      {what === 'screenshot' && wish.selector.trim() === '' && (
        <Check checked={wish.fullPage} onChange={(fullPage) => change({ fullPage })} testId="capture-full">
          Full page
        </Check>
      )}
      {what === 'pdf' && (
        <>
          <Select
            label="Paper"
            value={wish.paper}
            options={{ a4: 'A4', letter: 'Letter', legal: 'Legal' }}
            onChange={(paper) => change({ paper })}
          />
          <Check checked={wish.landscape} onChange={(landscape) => change({ landscape })}>
            Landscape
          </Check>
          <Check checked={wish.background} onChange={(background) => change({ background })}>
            Backgrounds
          </Check>
        </>
      )}
      <span className={tools.end}>
        <Button type="submit" variant="primary" busy={busy} disabled={!able} data-testid="capture">
          Capture
        </Button>
      </span>
    </form>
  )
}

function Result({ machineId, captured }: { machineId: string; captured: Captured }) {
  const saving = useBusy(`capture:${machineId}`)
  const content = captured.form === 'text' ? captured.text : captured.bytes
  const bytes = captured.form === 'text' ? new TextEncoder().encode(captured.text).length : captured.bytes.length
  const save = () =>
    work(`capture:${machineId}`, 'Saving', async () => {
      const { file } = await call('capture.save', { machineId, kind: captured.kind, content })
      if (file !== null) toast({ title: 'Saved', detail: file, id: `capture:${machineId}` })
    })
  return (
    <>
      <div className={styles.about} role="status">
        <span className={styles.of} title={captured.url}>
          {captured.title || captured.url}
        </span>
        <span className={styles.size}>
          {formatBytes(bytes)}, <Age at={captured.at} />
        </span>
        <span className={tools.end}>
          {captured.form === 'text' && <CopyButton text={captured.text} label="Copy" wordy />}
          <Button
            icon={<Save size={15} aria-hidden />}
            busy={saving}
            data-testid="capture-save"
            onClick={() => void save()}
          >
            Save…
          </Button>
        </span>
      </div>
      {captured.form === 'text' && captured.truncated && (
        <p className={styles.aside}>The page is longer: this is its beginning.</p>
      )}
      {captured.form !== 'text' && captured.cutFrom !== undefined && (
        <p className={styles.aside} data-testid="capture-cut">
          The browser cannot draw all of it ({captured.cutFrom.replace('x', ' × ')}): this is its beginning.
        </p>
      )}
      {captured.form === 'text' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section className={styles.text} tabIndex={0} aria-label="What was captured">
          <pre className={tools.text} data-testid="capture-text">
            {captured.text === '' ? 'Nothing: the page has none.' : captured.text.slice(0, mostShown)}
          </pre>
          {captured.text.length > mostShown && (
            <p className={styles.aside}>There is more than is shown. Copy or save it to have all.</p>
          )}
        </section>
      )}
      {captured.form === 'picture' && <Picture captured={captured} />}
      {captured.form === 'file' && (
        <EmptyState
          icon={<FileText size={26} aria-hidden />}
          title={`A PDF of ${formatBytes(bytes)}`}
          text="It is not shown here. Save it to look at it."
        />
      )}
    </>
  )
}

function Picture({ captured }: { captured: Extract<Captured, { bytes: Uint8Array }> }) {
  const [url, setUrl] = useState<string | null>(null)
  const { bytes, contentType } = captured
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([new Uint8Array(bytes)], { type: contentType }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes, contentType])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.picture} tabIndex={0} aria-label="What was captured">
      {url !== null && <img src={url} alt="Screenshot of the page" data-testid="capture-picture" />}
    </section>
  )
}
