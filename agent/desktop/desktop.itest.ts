import { inflateSync } from 'node:zlib'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Problem } from '../../shared/errors.ts'
import { BrowserBench, colour, evaluate, goTo, probePage } from '../browser/browser-bench.ts'
import { DesktopService } from './desktop.service.ts'

const bench = BrowserBench.forEachTest()
let desktop: DesktopService
beforeEach(() => {
  desktop = new DesktopService(bench.parts.screens, bench.parts.leases)
})

/** Enough of a PNG reader for what we write: RGB, filters none and up. */
function readPng(png: Buffer): { width: number; height: number; at: (x: number, y: number) => string } {
  expect(png.subarray(1, 4).toString()).toBe('PNG')
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const data: Buffer[] = []
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  const rows = inflateSync(Buffer.concat(data))
  const stride = width * 3 + 1
  for (let y = 1; y < height; y++)
    for (let i = 1; i < stride; i++)
      if (rows[y * stride] === 2)
        rows[y * stride + i] = ((rows[y * stride + i] ?? 0) + (rows[(y - 1) * stride + i] ?? 0)) & 255
  return { width, height, at: (x, y) => `#${rows.toString('hex', y * stride + 1 + x * 3, y * stride + 4 + x * 3)}` }
}

const typingPage = `data:text/html,${encodeURIComponent('<textarea autofocus style="width:90%;height:300px"></textarea>')}`

describe('the display', () => {
  test('as a picture', async () => {
    await bench.start({ width: 811, height: 603, url: probePage })
    await expect
      .poll(async () => {
        const picture = readPng(await desktop.screenshot())
        return [picture.width, picture.height, picture.at(5, 5), picture.at(810, 602)]
      })
      .toEqual([811, 603, colour, colour])
  })

  test('takes clicks, drags, wheels and keys of every script', async () => {
    await bench.start({ url: probePage })
    const page = await bench.openPage()
    await evaluate(page, 'addEventListener("wheel", (e) => log.push("wheel " + Math.sign(e.deltaY)))')
    const mouse = { button: 'left' as const, deltaX: 0, deltaY: 0 }
    await desktop.mouse({ ...mouse, action: 'click', x: 40, y: 50 })
    await expect.poll(() => evaluate(page, 'log.join()')).toBe('click 40,50,released')
    await desktop.mouse({ ...mouse, action: 'down', x: 60, y: 70 })
    await desktop.mouse({ ...mouse, action: 'move', x: 90, y: 90 })
    await expect.poll(() => evaluate(page, 'log.slice(2).join()')).toBe('click 60,70')
    await desktop.mouse({ ...mouse, action: 'up', x: 90, y: 90 })
    await desktop.mouse({ ...mouse, action: 'wheel', x: 90, y: 90, deltaY: 2 })
    await expect.poll(() => evaluate(page, 'log.slice(3).join()')).toBe('released,wheel 1,wheel 1')
    await desktop.keyboard({ key: 'Control+Shift+x' })
    await expect.poll(() => evaluate(page, 'log.slice(6).join()')).toBe('+Control,+Shift,+X,-X,-Shift,-Control')
    await expect(desktop.mouse({ ...mouse, action: 'move', x: 5000, y: 1 })).rejects.toMatchObject({
      code: 'invalid-params',
    })
    expect(() => desktop.keyboard({ key: 'Hyper+Foo' })).toThrow(/not a key/)
    expect(() => desktop.keyboard({})).toThrow(/either/)
  })

  test('its keyboard is the page’s, without a click: at the start, elsewhere, in another tab and back', async () => {
    await bench.start()
    const { pages } = bench.parts.browser.requireSession()
    const typed = async (letter: string) => {
      const { cdp } = pages.requireFront()
      await expect.poll(() => evaluate(cdp, 'log.length = 0')).toBe(0)
      await desktop.keyboard({ text: letter })
      await expect.poll(() => evaluate(cdp, 'log.join()')).toBe(`+${letter},-${letter}`)
    }
    const first = pages.requireFront()
    await goTo(first.cdp, probePage)
    await typed('a')
    await goTo(first.cdp, probePage.replace('probe', 'elsewhere'))
    await typed('b')
    const second = await pages.openTab(false)
    await goTo(second.cdp, probePage)
    await typed('c')
    await pages.activate(first)
    await typed('d')
    await pages.closeTab(first)
    await expect.poll(() => pages.front?.id).toBe(second.id)
    await typed('e')
  })

  test('types text', async () => {
    await bench.start({ url: typingPage })
    const page = await bench.openPage()
    const text = 'Grüße, Ελλάδα – "€5" 漢字\nnext\tline'
    await desktop.keyboard({ text: text.replace('\t', ' ') })
    await expect
      .poll(() => evaluate(page, 'document.querySelector("textarea").value'), { timeout: 10_000 })
      .toBe(text.replace('\t', ' '))
  })

  test('types more letters than a display has keys for, and leaves Caps Lock as it was', async () => {
    await bench.start({ url: typingPage })
    const page = await bench.openPage()
    const value = () => evaluate(page, 'document.querySelector("textarea").value')
    await evaluate(page, 'addEventListener("keydown", (e) => (window.capsLock = e.getModifierState("CapsLock")))')
    const han = Array.from({ length: 60 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join('')
    let typed = ''
    for (const text of ['Съешь ещё ЭТИХ мягких булок', `LOUD 😀🎉 ${han}`, 'and ÄÖÜ Ωmega']) {
      typed += text
      await desktop.keyboard({ text })
      await expect.poll(value, { timeout: 20_000 }).toBe(typed)
    }
    await desktop.keyboard({ key: 'Q' })
    await desktop.keyboard({ key: 'w' })
    await expect.poll(value).toBe(`${typed}Qw`)
    expect(await evaluate(page, 'capsLock')).toBe(false)
  })

  test('has a clipboard, both ways, also for long texts', async () => {
    await bench.start({ url: typingPage })
    const page = await bench.openPage()
    expect(await desktop.readClipboard()).toBe('')
    for (const text of ['héllo 漢字', `long ${'ü'.repeat(300_000)}`]) {
      await desktop.setClipboard(text)
      expect(await desktop.readClipboard()).toBe(text)
    }
    for (const [place, part] of ['one ', 'two ', 'ü'.repeat(400_000)].entries())
      await desktop.setClipboard(part, undefined, place > 0)
    expect(await desktop.readClipboard()).toBe(`one two ${'ü'.repeat(400_000)}`)
    await desktop.setClipboard('漢'.repeat(1_300_000))
    await expect(desktop.setClipboard('漢'.repeat(400_000), undefined, true)).rejects.toMatchObject({
      code: 'body-too-large',
    })
    await desktop.setClipboard('pasted ✓')
    await desktop.keyboard({ key: 'Control+v' })
    await expect.poll(() => evaluate(page, 'document.querySelector("textarea").value')).toBe('pasted ✓')
    await evaluate(page, 'document.querySelector("textarea").value = ("z".repeat(69) + "\\n").repeat(10_000)')
    await desktop.keyboard({ key: 'Control+a' })
    await desktop.keyboard({ key: 'Control+c' })
    await expect.poll(async () => (await desktop.readClipboard()).length, { timeout: 30_000 }).toBe(700_000)
    await evaluate(page, 'document.querySelector("textarea").value = "漢".repeat(1_500_000)')
    await desktop.keyboard({ key: 'Control+a' })
    await desktop.keyboard({ key: 'Control+c' })
    const code = () => desktop.readClipboard().then(String, (error: Problem) => error.code)
    await expect.poll(async () => (await code()).slice(0, 20), { timeout: 30_000 }).toBe('conflict')
  })

  test('is left alone while a person has the lease', async () => {
    await bench.start({ url: probePage })
    const page = await bench.openPage()
    const mouse = { x: 9, y: 9, button: 'left' as const, deltaX: 0, deltaY: 0 }
    await desktop.mouse({ ...mouse, action: 'down' })
    const lease = bench.take()
    await bench.parts.leases.othersStopped()
    await expect.poll(() => evaluate(page, 'log.join()')).toBe('click 9,9,released')
    for (const act of [
      () => desktop.mouse({ ...mouse, action: 'click' }),
      () => desktop.keyboard({ text: 'x' }),
      () => desktop.setClipboard('x'),
    ])
      await expect((async () => act())()).rejects.toMatchObject({ code: 'held-by-operator', extra: { holder: 'Ann' } })
    expect((await desktop.screenshot()).length).toBeGreaterThan(100)
    bench.parts.leases.handBack(lease.leaseId)
    await desktop.mouse({ ...mouse, action: 'click' })
  })

  test('that is not there', async () => {
    await expect(desktop.screenshot()).rejects.toMatchObject({ code: 'not-active' })
    await bench.start({ headless: true })
    await expect(desktop.screenshot()).rejects.toMatchObject({ code: 'not-active' })
  })
})
