import { describe, expect, test } from 'vitest'
import { FrameBoundaries } from './boundaries.ts'
import { closeFrame, FrameError, FrameReader, messageText, opcode, textFrame } from './frames.ts'

const reader = (masked = true, maxMessageBytes = 100_000) => new FrameReader({ masked, maxMessageBytes })

/** A frame with a mask that does change the bytes, as real clients send it. */
function masked(first: number, payload: string): Buffer {
  const plain = textFrame(payload, true)
  const keyAt = plain.length - Buffer.byteLength(payload) - 4
  const frame = Buffer.from(plain)
  frame[0] = first
  frame.set([7, 99, 200, 31], keyAt)
  for (let i = keyAt + 4; i < frame.length; i++) frame[i] = (frame[i] ?? 0) ^ (frame[keyAt + ((i - keyAt) & 3)] ?? 0)
  return frame
}

function texts(cut: FrameReader, chunks: Buffer[], isMasked = true): string[] {
  return chunks.flatMap((chunk) => {
    const { bytes, messages } = cut.push(chunk)
    return messages.map((message) => messageText(bytes, message, isMasked))
  })
}

describe('reading frames', () => {
  const long = 'x'.repeat(70_000)
  const stream = Buffer.concat([masked(0x81, 'one'), masked(0x81, 'y'.repeat(300)), masked(0x81, long)])

  test.each([1, 2, 3, 7, 64, 1000, 1_000_000])('cut into pieces of %i bytes', (size) => {
    const chunks = Array.from({ length: Math.ceil(stream.length / size) }, (_, i) =>
      stream.subarray(i * size, (i + 1) * size),
    )
    expect(texts(reader(), chunks)).toEqual(['one', 'y'.repeat(300), long])
  })

  test('fragments are one message, a ping among them waits', () => {
    const parts = [masked(0x01, 'he'), masked(0x89, 'ping'), masked(0x00, 'll'), masked(0x80, 'o')]
    const cut = reader()
    for (const part of parts.slice(0, 3)) expect(cut.push(part).messages).toEqual([])
    const { bytes, messages } = cut.push(parts[3] ?? Buffer.alloc(0))
    expect(bytes).toEqual(Buffer.concat(parts))
    expect(messages.map((message) => messageText(bytes, message, true))).toEqual(['hello'])
  })

  /** As Java's own client sends a long message. */
  const inPieces = (text: string, size: number) =>
    Array.from({ length: Math.ceil(text.length / size) }, (_, index) => {
      const final = (index + 1) * size >= text.length ? 0x80 : 0
      return masked(final | (index === 0 ? 1 : 0), text.slice(index * size, (index + 1) * size))
    })

  test.each([1, 13, 1400, 65_536])(
    'pieces of some kilobytes are one message, cut at %i bytes by the network',
    (size) => {
      const [first, second] = ['a'.repeat(150_000), 'b'.repeat(300_000)]
      const stream = Buffer.concat([masked(0x81, 'one'), ...inPieces(first, 1100), ...inPieces(second, 2000)])
      const chunks = Array.from({ length: Math.ceil(stream.length / size) }, (_, i) =>
        stream.subarray(i * size, (i + 1) * size),
      )
      expect(texts(reader(true, 1_000_000), chunks)).toEqual(['one', first, second])
    },
  )

  // Joining all that came at each piece would copy 100 GB.
  test('many pieces cost no more than their length', { timeout: 60_000 }, () => {
    const cut = reader(true, 100_000_000)
    const piece = masked(0, 'x'.repeat(16_384))
    cut.push(masked(1, 'x'.repeat(16_384)))
    for (let count = 0; count < 4000; count++) expect(cut.push(piece).messages).toEqual([])
    const { messages } = cut.push(masked(0x80, 'end'))
    expect(messages[0]?.frames).toHaveLength(4002)
  })

  test('nothing of an incomplete message is given out', () => {
    const frame = masked(0x81, 'whole')
    const cut = reader()
    const first = cut.push(Buffer.concat([frame, frame.subarray(0, -1)]))
    expect(first.bytes).toEqual(frame)
    expect(cut.push(frame.subarray(-1)).bytes).toEqual(frame)
  })

  test.each([
    ['no mask', textFrame('x', false), 1002],
    ['a reserved bit', masked(0xc1, 'x'), 1002],
    ['an unknown opcode', masked(0x83, 'x'), 1002],
    ['a continuation of nothing', masked(0x80, 'x'), 1002],
    ['a new message within another', Buffer.concat([masked(0x01, 'x'), masked(0x81, 'y')]), 1002],
    ['a long ping', masked(0x89, 'x'.repeat(126)), 1002],
    ['a large message', masked(0x81, 'x'.repeat(100_001)), 1009],
    ['a claim of 2^63 bytes', Buffer.from([0x81, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255, 1, 2, 3, 4]), 1009],
    ['a thousand fragments', Buffer.concat([masked(1, 'x'), ...Array(1000).fill(masked(0, 'x'))]), 1008],
  ])('%s is refused', (_name, bytes, code) => {
    expect(() => reader().push(bytes)).toThrow(FrameError)
    try {
      reader().push(bytes)
    } catch (error) {
      expect((error as FrameError).code).toBe(code)
    }
  })

  test('frames of ours can be read', () => {
    for (const size of [0, 1, 125, 126, 65_535, 65_536]) {
      const text = 'z'.repeat(size)
      expect(texts(reader(true), [textFrame(text, true)])).toEqual([text])
      expect(texts(reader(false), [textFrame(text, false)], false)).toEqual([text])
    }
    const { messages } = reader(false).push(closeFrame(1001, 'ü'.repeat(100)))
    expect(messages[0]?.opcode).toBe(opcode.close)
  })
})

describe('boundaries', () => {
  test('are found wherever the network cuts', () => {
    const frames = ['a', 'b'.repeat(200), 'c'.repeat(70_000)].map((text) => textFrame(text, false))
    const stream = Buffer.concat(frames)
    const ends = frames.map((_frame, index) => Buffer.concat(frames.slice(0, index + 1)).length)
    for (const size of [3, 5, 999, 65_536, 100_000]) {
      const walker = new FrameBoundaries()
      const seen = new Set<number>()
      for (let at = 0; at < stream.length; at += size) {
        const last = walker.walk(stream.subarray(at, at + size))
        if (last > 0) seen.add(at + last)
        const end = Math.min(at + size, stream.length)
        expect(walker.between).toBe(ends.includes(end))
      }
      for (const place of seen) expect(ends).toContain(place)
      expect(seen.has(stream.length)).toBe(true)
    }
  })
})
