/** Behind a panel and dimmed, more is not seen. */
const longestSide = 1280
const quality = 0.7
const type = 'image/jpeg'

/** A canvas as a small file; null when it cannot be made one. */
export async function encodePicture(source: HTMLCanvasElement): Promise<Uint8Array | null> {
  const small = smaller(source)
  const blob = await new Promise<Blob | null>((resolve) => small.toBlob(resolve, type, quality))
  return blob === null ? null : new Uint8Array(await blob.arrayBuffer())
}

/** The same for a page that goes the next moment. Takes as long as a frame or two. */
export function encodeAtOnce(source: HTMLCanvasElement): Uint8Array | null {
  const [head, body] = smaller(source).toDataURL(type, quality).split(',')
  if (head !== `data:${type};base64` || body === undefined) return null
  return Uint8Array.from(atob(body), (char) => char.charCodeAt(0))
}

/** The picture in such a file; throws when it is none. */
export async function readPicture(jpeg: Uint8Array): Promise<HTMLCanvasElement> {
  const image = await createImageBitmap(new Blob([new Uint8Array(jpeg)], { type }))
  const canvas = document.createElement('canvas')
  canvas.width = image.width
  canvas.height = image.height
  canvas.getContext('2d')?.drawImage(image, 0, 0)
  image.close()
  return canvas
}

function smaller(source: HTMLCanvasElement): HTMLCanvasElement {
  const scale = Math.min(1, longestSide / Math.max(source.width, source.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(source.width * scale))
  canvas.height = Math.max(1, Math.round(source.height * scale))
  const context = canvas.getContext('2d')
  if (context !== null) context.imageSmoothingQuality = 'high'
  context?.drawImage(source, 0, 0, canvas.width, canvas.height)
  return canvas
}
