import { describe, expect, test } from 'vitest'
import {
  type ClientMessage,
  ClientMessageParser,
  RfbError,
  writeEncodings,
  writeKey,
  writePointer,
} from './client-messages.ts'
import { InputGate } from './input-gate.ts'

const keepsSize = () => false

/** Repeatable chance: a failure can be run again. */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

function filled(length: number, head: number[]): Buffer {
  const bytes = Buffer.alloc(length, 0xa5)
  for (const [index, byte] of head.entries()) bytes[index] = byte
  return bytes
}

function cutText(length: number): Buffer {
  const bytes = filled(8 + Math.abs(length), [6])
  bytes.writeInt32BE(length, 4)
  return bytes
}

/** One of every message a client may send, with the sizes that vary. */
function samples(roll: (sides: number) => number): Record<string, () => Buffer> {
  return {
    pixelFormat: () => filled(20, [0]),
    encodings: () => writeEncodings(Array.from({ length: roll(30) }, () => roll(400) - 300)),
    updateRequest: () => filled(10, [3]),
    key: () => writeKey(roll(70000), null, roll(2) === 1),
    qemuKey: () => writeKey(roll(70000), roll(256), roll(2) === 1),
    pointer: () => writePointer(roll(256), roll(2000), roll(2000)),
    cutText: () => cutText(roll(300)),
    extendedClipboard: () => cutText(-roll(300) - 4),
    continuousUpdates: () => filled(10, [150]),
    power: () => filled(4, [250, 0, 1, 2]),
    fence: () => {
      const size = roll(65)
      return filled(9 + size, [248, 0, 0, 0, 0, 0, 0, 0, size])
    },
    desktopSize: () => {
      const screens = roll(4)
      return filled(8 + 16 * screens, [251, 0, 4, 0, 3, 0, screens])
    },
  }
}

function randomStream(roll: (sides: number) => number, count: number): Buffer[] {
  const makers = Object.values(samples(roll))
  return Array.from({ length: count }, () => makers[roll(makers.length)]?.() ?? Buffer.alloc(0))
}

function parseSplit(stream: Buffer, roll: (sides: number) => number, most: number): ClientMessage[] {
  const parser = new ClientMessageParser()
  const messages: ClientMessage[] = []
  for (let at = 0; at < stream.length; ) {
    const size = 1 + roll(most)
    messages.push(...parser.push(stream.subarray(at, at + size)))
    at += size
  }
  return messages
}

describe('cutting a stream into messages', () => {
  test('gives the same messages wherever the network cut it', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const roll = dice(seed)
      const sent = randomStream(roll, 80)
      for (const most of [1, 3, 17, 5000]) {
        const got = parseSplit(Buffer.concat(sent), roll, most)
        expect(got.map((message) => message.bytes.toString('hex'))).toEqual(sent.map((bytes) => bytes.toString('hex')))
      }
    }
  })

  test.each([1, 7, 99, 249, 253])('refuses type %i, whose length nobody knows', (unknown) => {
    expect(() => new ClientMessageParser().push(Buffer.from([unknown]))).toThrow(RfbError)
  })

  test('refuses QEMU messages other than keys, and texts that are too long', () => {
    expect(() => new ClientMessageParser().push(Buffer.from([255, 1]))).toThrow(RfbError)
    const long = cutText(0)
    for (const length of [1024 * 1024 + 1, -(1024 * 1024) - 1, -(2 ** 31), 2 ** 31 - 1]) {
      long.writeInt32BE(length, 4)
      expect(() => new ClientMessageParser().push(long)).toThrow(RfbError)
    }
  })

  // Joining at each byte would copy 500 GB, and not end within the limit.
  test('a long text in single bytes costs no more than its length', { timeout: 60_000 }, () => {
    const parser = new ClientMessageParser()
    let messages = 0
    for (const byte of cutText(1_000_000)) messages += parser.push(Buffer.from([byte])).length
    expect(messages).toBe(1)
  })
})

describe('the gate', () => {
  const acting = new Set([4, 5, 6, 250, 251, 255])

  function passAll(gate: InputGate, stream: Buffer): Buffer[] {
    return new ClientMessageParser().push(stream).flatMap((message) => gate.pass(message) ?? [])
  }

  test('lets nothing of a viewer through that acts on the machine, and all that asks for pictures', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const sent = randomStream(dice(seed), 200)
      const gate = new InputGate({ mayControl: () => false, clipboard: true, resizable: true, keepsSize })
      const passed = passAll(gate, Buffer.concat(sent))
      expect(passed.filter((bytes) => acting.has(bytes[0] ?? 0))).toEqual([])
      expect(passed.map((bytes) => bytes[0])).toEqual(
        sent.map((bytes) => bytes[0]).filter((type) => !acting.has(type ?? 0)),
      )
      expect(gate.release()).toEqual(Buffer.alloc(0))
    }
  })

  test('passes a controller’s input unchanged, but no clipboard until it is asked for', () => {
    const input = [writeKey(97, null, true), writeKey(97, 30, false), writePointer(1, 5, 6)]
    const stream = Buffer.concat([...input, cutText(10), cutText(-10)])
    const powerOff = Buffer.from([250, 0, 1, 2])
    const without = passAll(
      new InputGate({ mayControl: () => true, clipboard: false, resizable: true, keepsSize }),
      Buffer.concat([powerOff, stream]),
    )
    expect(without).toEqual(input)
    const withIt = passAll(
      new InputGate({ mayControl: () => true, clipboard: true, resizable: true, keepsSize }),
      stream,
    )
    expect(Buffer.concat(withIt).equals(stream)).toBe(true)
  })

  test('looks at the lease for every message', () => {
    let held = true
    const gate = new InputGate({ mayControl: () => held, clipboard: false, resizable: true, keepsSize })
    expect(passAll(gate, writeKey(97, null, true))).toHaveLength(1)
    held = false
    expect(passAll(gate, writeKey(97, null, false))).toEqual([])
  })

  test('lets go of exactly the keys and buttons that are down, once', () => {
    const gate = new InputGate({ mayControl: () => true, clipboard: false, resizable: true, keepsSize })
    const typed = [
      writeKey(0xffe1, null, true),
      writeKey(97, null, true),
      writeKey(97, null, false),
      writeKey(98, 48, true),
      writePointer(5, 30, 40),
    ]
    passAll(gate, Buffer.concat(typed))
    const released = Buffer.concat([writeKey(0xffe1, null, false), writeKey(98, 48, false), writePointer(0, 30, 40)])
    expect(gate.release().equals(released)).toBe(true)
    expect(gate.release()).toHaveLength(0)
  })

  test('passes a size only to a display that takes it, from a client that knows sizes', () => {
    const size = (width: number, height: number, screens = 1) => {
      const bytes = Buffer.alloc(8 + 16 * screens)
      bytes[0] = 251
      bytes[6] = screens
      for (const at of screens > 0 ? [2, 16] : [2]) bytes.writeUInt16BE(width, at)
      for (const at of screens > 0 ? [4, 18] : [4]) bytes.writeUInt16BE(height, at)
      return bytes
    }
    const passed = (resizable: boolean, encodings: number[], bytes: Buffer) => {
      const gate = new InputGate({ mayControl: () => true, clipboard: false, resizable, keepsSize })
      return passAll(gate, Buffer.concat([writeEncodings(encodings), bytes])).length === 2
    }
    expect(passed(true, [0, -308], size(1024, 768))).toBe(true)
    expect(passed(false, [0, -308], size(1024, 768))).toBe(false)
    expect(passed(true, [0], size(1024, 768))).toBe(false)
    const held = new InputGate({ mayControl: () => true, clipboard: false, resizable: true, keepsSize: () => true })
    const [, refused] = passAll(held, Buffer.concat([writeEncodings([-308]), size(1024, 768)]))
    expect(refused?.toString('hex')).toBe('fb00040003000000')
    for (const odd of [size(1024, 768, 0), size(1024, 768, 2), size(0, 0), size(65535, 65535), size(1, 768)])
      expect(passed(true, [-308], odd)).toBe(false)
  })

  test('never agrees on extensions with messages of unknown length', () => {
    const gate = new InputGate({ mayControl: () => true, clipboard: false, resizable: true, keepsSize })
    const [passed] = passAll(gate, writeEncodings([7, -316, 0xc0a1e5ce | 0, -309, -258, -312, 0]))
    expect(passed?.equals(writeEncodings([7, -258, -312, 0]))).toBe(true)
  })
})
