import { FileUp } from 'lucide-react'
import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react'
import type { CallResult } from '../../../shared/contract/index.ts'
import { problemOf } from '../../app/bridge.ts'
import { useBusy, work } from '../../app/work.ts'
import { Age } from '../../ui/Age.tsx'
import { Button } from '../../ui/Button.tsx'
import { Input } from '../../ui/Field.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { formatBytes } from '../inspector/capture/capture.ts'
import type { LiveClient } from './client.ts'
import styles from './FileChooser.module.css'
import dialog from './PageDialog.module.css'

interface FileChooserProps {
  client: LiveClient
  /** Of the machine, whose files they are. */
  name: string
  /** It is gone, and the keyboard with it. */
  onGone: () => void
}

type Uploads = CallResult<'browser.uploads'>

/** A file field of the page was clicked, where the picture is the page alone: its dialog would be seen by nobody. */
export function FileChooser({ client, name, onGone }: FileChooserProps) {
  const [path, setPath] = useState('')
  const [uploads, setUploads] = useState<Uploads | null>(null)
  const [problem, setProblem] = useState('')
  const key = `chooser:${client.machineId}`
  const busy = useBusy(key)
  const field = useRef<HTMLInputElement>(null)
  const look = useCallback(() => {
    client.page('browser.uploads', {}).then(
      (found) => {
        setUploads(found)
        setProblem('')
      },
      (error: unknown) => setProblem(problemOf(error).detail),
    )
  }, [client])
  useEffect(look, [look])
  const gone = useRef(onGone)
  gone.current = onGone
  useEffect(() => {
    field.current?.focus()
    return () => {
      if (document.activeElement === document.body) gone.current()
    }
  }, [])
  const give = (file: string | null) =>
    void work(key, file === null ? 'Cancelling' : 'Giving the file', async () => {
      await client.page('browser.upload', { path: file })
    })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (path.trim() !== '') give(path.trim())
  }
  return (
    <Panel
      tone="person"
      icon={<FileUp size={28} aria-hidden />}
      title="The page asks for a file"
      text={
        uploads === null
          ? `It gets one that lies on ${name}.`
          : `It gets one that lies on ${name}, in ${uploads.folder}. Put it there first, for example with scp.`
      }
      note={problem === '' ? undefined : problem}
    >
      <form
        className={dialog.form}
        data-testid="file-chooser"
        onSubmit={submit}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          give(null)
        }}
      >
        {uploads !== null && uploads.files.length > 0 && (
          <ul className={styles.files} aria-label="Files that lie there">
            {uploads.files.map((file) => (
              <li key={file.path}>
                <button
                  type="button"
                  className={styles.file}
                  aria-pressed={file.path === path}
                  onClick={() => setPath(file.path)}
                  onDoubleClick={() => give(file.path)}
                >
                  <span className={styles.name}>{file.path}</span>
                  <span className={styles.about}>
                    {formatBytes(file.sizeBytes)} · <Age at={file.modifiedAt} />
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )}
        <Input
          ref={field}
          aria-label="Name of the file in that folder"
          placeholder="Name of the file"
          value={path}
          maxLength={1024}
          onChange={(event) => setPath(event.target.value)}
        />
        <div className={dialog.answers}>
          <Button type="submit" variant="primary" busy={busy} disabled={path.trim() === ''} data-testid="chooser-give">
            Give it to the page
          </Button>
          <Button onClick={look} data-testid="chooser-look">
            Look again
          </Button>
          <Button onClick={() => give(null)} data-testid="chooser-cancel">
            Cancel
          </Button>
        </div>
      </form>
    </Panel>
  )
}
