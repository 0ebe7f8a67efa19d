import { type RefObject, useEffect, useRef, useState } from 'react'
import type { LiveClient } from './client.ts'
import type { Download } from './screen.ts'
import { LiveSession } from './session.ts'
import { type LiveSnapshot, type LiveWish, nothingShown } from './snapshot.ts'
import { useViewChoices } from './viewChoices.ts'

interface LiveSessionOptions {
  machineId: string
  client: LiveClient
  wish: LiveWish | null
  stage: RefObject<HTMLElement | null>
  still: RefObject<HTMLCanvasElement | null>
  onShown: () => void
  onDownload: (download: Download) => void
}

/** A live session that lives as long as the component, and what it shows now. */
export function useLiveSession({ machineId, client, wish, stage, still, onShown, onDownload }: LiveSessionOptions): {
  snapshot: LiveSnapshot
  session: RefObject<LiveSession | null>
} {
  const session = useRef<LiveSession | null>(null)
  const shown = useRef(onShown)
  shown.current = onShown
  const downloading = useRef(onDownload)
  downloading.current = onDownload
  const [snapshot, setSnapshot] = useState(nothingShown)
  const scaling = useViewChoices((state) => state.scaling)
  const quality = useViewChoices((state) => state.quality)

  useEffect(() => {
    if (stage.current === null || still.current === null) return
    const made = new LiveSession({
      machineId,
      stage: stage.current,
      still: still.current,
      source: client,
      onChange: setSnapshot,
      onShown: () => shown.current(),
      onDownload: (download) => downloading.current(download),
    })
    session.current = made
    return () => {
      made.dispose()
      session.current = null
    }
  }, [machineId, client, stage, still])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new session has to be told again
  useEffect(() => {
    session.current?.choose({ scaling, quality })
  }, [scaling, quality, machineId, client])

  const view = wish?.view
  const mode = wish?.mode
  // `machineId` and `client` are here because a new session has to be told the wish again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    session.current?.want(view === undefined || mode === undefined ? null : { view, mode })
  }, [view, mode, machineId, client])

  return { snapshot, session }
}
