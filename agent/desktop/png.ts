import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import type { Picture } from './rfb-screen.ts'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** A picture as PNG, 8 bits each of red, green and blue. */
export async function encodePng({ width, height, pixels }: Picture): Promise<Buffer> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  // Off this thread, and fast rather than small: someone waits for it.
  const data = await promisify(deflate)(scanlines(width, height, pixels), { level: 3 })
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))])
}

/** Rows as PNG wants them: each after the number of its filter (here: difference to the row above). */
function scanlines(width: number, height: number, pixels: Buffer): Buffer {
  const rows = Buffer.alloc((width * 3 + 1) * height)
  let to = 0
  for (let y = 0; y < height; y++) {
    rows[to++] = y === 0 ? 0 : 2
    let from = y * width * 4
    const above = y === 0 ? -1 : from - width * 4
    for (let x = 0; x < width; x++, from += 4) {
      for (let part = 0; part < 3; part++) {
        const value = pixels[from + part] ?? 0
        rows[to++] = above === -1 ? value : value - (pixels[above + x * 4 + part] ?? 0)
      }
    }
  }
  return rows
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
