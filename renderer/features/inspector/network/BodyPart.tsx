import { useEffect, useMemo, useState } from 'react'
import { isWithoutBody } from '../../../../shared/domain/http-answer.ts'
import { Button } from '../../../ui/Button.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { readableJson } from '../../../ui/readable-json.ts'
import { hexDump, mostDumped, shownOf } from './body.ts'
import { maxBodyBytes, type NetworkModel } from './model.ts'
import styles from './Network.module.css'
import { isUnderWay, type NetworkRow, sizeText } from './rows.ts'

type Body =
  | { state: 'asking' }
  | { state: 'there'; text: string; base64: boolean }
  | { state: 'none'; why: string; again: boolean }

/** What the server answered, as text, as a picture or as bytes. */
export function BodyPart({ row, model }: { row: NetworkRow; model: NetworkModel }) {
  const [body, setBody] = useState<Body>({ state: 'asking' })
  const [turn, setTurn] = useState(0)
  const why = whyNone(row)
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once the answer is whole, and again when told to
  useEffect(() => {
    if (why !== undefined) return setBody({ state: 'none', why, again: false })
    let gone = false
    setBody({ state: 'asking' })
    model.body(row).then(
      (found) => !gone && setBody({ state: 'there', ...found }),
      (error: unknown) => {
        const text = `The browser no longer has it: ${(error as Error).message}`
        if (!gone) setBody({ state: 'none', why: text, again: true })
      },
    )
    return () => {
      gone = true
    }
  }, [why, turn])
  if (body.state === 'asking') return <p className={styles.note}>Asking the browser…</p>
  if (body.state === 'none')
    return (
      <div className={styles.note}>
        <p>{body.why}</p>
        {body.again && (
          <Button variant="ghost" onClick={() => setTurn(turn + 1)}>
            Ask again
          </Button>
        )}
      </div>
    )
  return body.base64 ? <Bytes row={row} data={body.text} /> : <Text text={body.text} mimeType={row.mimeType} />
}

/** Why there is no body to be had; undefined where there should be one. */
function whyNone(row: NetworkRow): string | undefined {
  const { method, status, failed, redirectedTo, bodySize } = row
  if (row.recorded) return 'The agent keeps no bodies. Reload the page with the inspector open.'
  if (failed !== null) return `There is none: ${failed}.`
  // Chromium would answer with the body of the last hop.
  if (redirectedTo !== null) return `The page was sent on to ${redirectedTo.slice(0, 500)}: the browser keeps no body.`
  if (row.lost) return 'How it ended was not heard, and the browser keeps no body of it.'
  if (isUnderWay(row)) return 'The answer is still under way.'
  if (status !== null && isWithoutBody(method, status))
    return `An answer to ${method} with status ${status} has no body.`
  if (bodySize > maxBodyBytes) return `${sizeText(bodySize)} are too much to show here.`
  return undefined
}

const mostShown = 500_000

function Text({ text, mimeType }: { text: string; mimeType: string }) {
  const shown = useMemo(() => readable(text, mimeType), [text, mimeType])
  return (
    <div className={styles.scroll} data-testid="response-body">
      <div className={styles.detailTools}>
        <CopyButton text={text} label="Copy the body" />
      </div>
      {text === '' ? (
        <p className={styles.note}>The body is empty.</p>
      ) : (
        <pre className={styles.body}>{shown.slice(0, mostShown)}</pre>
      )}
      {shown.length > mostShown && (
        <p className={styles.note}>
          That is the beginning of {shown.length.toLocaleString('en')} letters; all of them are copied.
        </p>
      )}
    </div>
  )
}

function Bytes({ row, data }: { row: NetworkRow; data: string }) {
  const shown = useMemo(() => shownOf(data, row.mimeType), [data, row.mimeType])
  if (shown.form === 'text') return <Text text={shown.text} mimeType={row.mimeType} />
  if (shown.form === 'picture') return <Picture bytes={shown.bytes} type={shown.type} />
  const { bytes } = shown
  return (
    <div className={styles.scroll} data-testid="response-bytes">
      <p className={styles.note}>
        {sizeText(bytes.length)} of {row.mimeType || 'bytes'}
        {bytes.length > mostDumped && `, of which the first ${sizeText(mostDumped)}`}
      </p>
      <pre className={styles.dump}>{hexDump(bytes)}</pre>
    </div>
  )
}

/** A picture as the page has it: read by the window's own decoder, as what is captured and seen live is. */
function Picture({ bytes, type }: { bytes: Uint8Array<ArrayBuffer>; type: string }) {
  const [url, setUrl] = useState<string | null>(null)
  const [size, setSize] = useState('')
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes, type])
  return (
    <div className={styles.scroll} data-testid="response-picture">
      <p className={styles.note}>{[size, sizeText(bytes.length), type].filter(Boolean).join(' · ')}</p>
      {url !== null && (
        <img
          className={styles.picture}
          src={url}
          alt="What the server answered"
          onLoad={({ currentTarget }) => setSize(`${currentTarget.naturalWidth} × ${currentTarget.naturalHeight}`)}
          onError={() => setSize('It cannot be drawn')}
        />
      )}
    </div>
  )
}

/** JSON with its fields under each other; everything else as it is. */
export function readable(text: string, mimeType: string): string {
  if (!mimeType.includes('json') || text.length > mostShown) return text
  try {
    return readableJson(text)
  } catch {
    return text
  }
}
