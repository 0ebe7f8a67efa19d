import { call, onIpcEvent } from '../../app/bridge.ts'
import { encodeAtOnce, encodePicture, readPicture } from './pictureFile.ts'

/** The last picture of each machine, so that a panel never stands over nothing: here, and in main for the next run. */
export interface LastPicture {
  canvas: HTMLCanvasElement
  at: number
}

/** A full-HD picture is 8 MB: twelve machines are the most that one leafs through. */
const kept = 12
const pictures = new Map<string, LastPicture>()
/** What is on screen now, by machine; null while there is no whole picture. */
const shown = new Map<string, Set<() => HTMLCanvasElement | null>>()

export function lastPicture(machineId: string): LastPicture | undefined {
  return pictures.get(machineId)
}

/** What an earlier window kept, for a machine that this one has not shown; undefined when there is nothing. */
export async function recallPicture(machineId: string): Promise<LastPicture | undefined> {
  try {
    const { picture } = await call('pictures.last', { machineId })
    if (picture === null) return undefined
    const canvas = await readPicture(picture.jpeg)
    // It was shown here in the meantime.
    const newer = pictures.get(machineId)
    if (newer !== undefined) return newer
    return note(machineId, { canvas, at: picture.at })
  } catch {
    // A panel without a picture says as much.
    return undefined
  }
}

/** Copies what a canvas shows now, and hands it over to main. */
export function keepPicture(machineId: string, source: HTMLCanvasElement): LastPicture | undefined {
  if (source.width === 0 || source.height === 0) return pictures.get(machineId)
  const canvas = document.createElement('canvas')
  drawCopy(source, canvas)
  const picture = note(machineId, { canvas, at: Date.now() })
  void handOver(machineId, picture)
  return picture
}

/** Says where a machine is shown, so that it can be kept when the window or the console ends; returns the way to stop. */
export function isShown(machineId: string, canvas: () => HTMLCanvasElement | null): () => void {
  const those = shown.get(machineId) ?? new Set()
  shown.set(machineId, those)
  those.add(canvas)
  return () => those.delete(canvas)
}

/** Hands over what is shown when the console ends, or this window; returns the way to stop. */
export function startPictures(): () => void {
  const stops = [
    onIpcEvent('pictures.wanted', () => void giveAll().finally(() => call('pictures.given', {}).catch(() => {}))),
    onIpcEvent('pictures.cleared', () => pictures.clear()),
    onIpcEvent('fleet.changed', ({ removed }) => {
      for (const id of removed) pictures.delete(id)
    }),
  ]
  // Nothing is waited for here: what is to be kept is made and sent before the page goes.
  const leaving = () => {
    for (const [machineId, canvas] of nowShown()) {
      const jpeg = encodeAtOnce(canvas)
      if (jpeg !== null) call('pictures.keep', { machineId, at: Date.now(), jpeg }).catch(() => {})
    }
  }
  window.addEventListener('beforeunload', leaving)
  return () => {
    for (const stop of stops) stop()
    window.removeEventListener('beforeunload', leaving)
  }
}

export function drawCopy(source: HTMLCanvasElement, target: HTMLCanvasElement): void {
  target.width = source.width
  target.height = source.height
  target.getContext('2d')?.drawImage(source, 0, 0)
}

function note(machineId: string, picture: LastPicture): LastPicture {
  pictures.delete(machineId)
  pictures.set(machineId, picture)
  const oldest = pictures.keys().next().value
  if (pictures.size > kept && oldest !== undefined) pictures.delete(oldest)
  return picture
}

async function giveAll(): Promise<void> {
  await Promise.all([...nowShown()].map(([machineId, canvas]) => handOver(machineId, { canvas, at: Date.now() })))
}

async function handOver(machineId: string, { canvas, at }: LastPicture): Promise<void> {
  try {
    const jpeg = await encodePicture(canvas)
    if (jpeg !== null) await call('pictures.keep', { machineId, at, jpeg })
  } catch {
    // It is kept in this window all the same.
  }
}

function* nowShown(): Generator<[string, HTMLCanvasElement]> {
  for (const [machineId, those] of shown) {
    for (const find of those) {
      const canvas = find()
      if (canvas !== null && canvas.width > 0 && canvas.height > 0) yield [machineId, canvas]
    }
  }
}
