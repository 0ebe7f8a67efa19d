import { useEffect, useRef } from 'react'
import type { PanelProps } from '../panels.tsx'
import { useSnapshot } from '../sessions.ts'
import styles from './Elements.module.css'

/** Ten pictures a second are plenty to see what is marked. */
const paceMs = 100

/** The live page, small, beside the tree: what is marked there is seen here. */
export function PagePreview({ session }: Pick<PanelProps, 'session'>) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const { phase, tab } = useSnapshot(session)
  const open = phase === 'open'
  const tabId = tab?.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is another page, whose pictures have to be asked for
  useEffect(() => {
    if (!open) return
    const timers = new Set<ReturnType<typeof setTimeout>>()
    const stop = session.on('Page.screencastFrame', (params, sessionId) => {
      if (sessionId !== undefined) return
      void draw(canvas.current, String(params['data']))
      // The next one comes when this one is acknowledged.
      const timer = setTimeout(() => {
        timers.delete(timer)
        session.send('Page.screencastFrameAck', { sessionId: params['sessionId'] }).catch(() => {})
      }, paceMs)
      timers.add(timer)
    })
    const look = { format: 'jpeg', quality: 60, maxWidth: 640, maxHeight: 480 }
    session
      .send('Page.enable')
      .then(() => session.send('Page.startScreencast', look))
      .catch(() => {})
    return () => {
      stop()
      for (const timer of timers) clearTimeout(timer)
      session.send('Page.stopScreencast').catch(() => {})
    }
  }, [session, open, tabId])
  return (
    <canvas ref={canvas} className={styles.preview} role="img" aria-label="The live page" data-testid="page-preview" />
  )
}

async function draw(canvas: HTMLCanvasElement | null, base64: string): Promise<void> {
  if (canvas === null) return
  try {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
    const picture = await createImageBitmap(new Blob([bytes], { type: 'image/jpeg' }))
    canvas.width = picture.width
    canvas.height = picture.height
    canvas.getContext('2d')?.drawImage(picture, 0, 0)
    picture.close()
  } catch {
    // A picture that cannot be read is one less.
  }
}
