/** The last picture of each machine, kept in memory so that a panel never stands over nothing. */
export interface LastPicture {
  canvas: HTMLCanvasElement
  at: number
}

/** A full-HD picture is 8 MB: twelve machines are the most that one leafs through. */
const kept = 12
const pictures = new Map<string, LastPicture>()

export function lastPicture(machineId: string): LastPicture | undefined {
  return pictures.get(machineId)
}

/** Copies what a canvas shows now. */
export function keepPicture(machineId: string, source: HTMLCanvasElement): LastPicture | undefined {
  if (source.width === 0 || source.height === 0) return pictures.get(machineId)
  const canvas = document.createElement('canvas')
  drawCopy(source, canvas)
  const picture = { canvas, at: Date.now() }
  pictures.delete(machineId)
  pictures.set(machineId, picture)
  const oldest = pictures.keys().next().value
  if (pictures.size > kept && oldest !== undefined) pictures.delete(oldest)
  return picture
}

export function drawCopy(source: HTMLCanvasElement, target: HTMLCanvasElement): void {
  target.width = source.width
  target.height = source.height
  target.getContext('2d')?.drawImage(source, 0, 0)
}
