import net from 'node:net'
import { describe, expect, test } from 'vitest'
import { BrowserBench, colour, evaluate, probePage, run } from '../browser/browser-bench.ts'
import { connectVnc } from '../display/vnc-connect.ts'
import { writeEncodings } from './client-messages.ts'
import { RfbTestClient } from './rfb-test-client.ts'

const bench = BrowserBench.forEachTest()

/** Until the page is on the screen it takes no input: a person sees that, and so does this. */
async function seesPage(client: RfbTestClient): Promise<void> {
  await expect.poll(async () => (await client.picture())(200, 100), { timeout: 20_000 }).toBe(colour)
}

describe('the live view', () => {
  test('shows the page, over the whole display', async () => {
    await bench.start({ width: 800, height: 600, url: probePage })
    const viewer = await RfbTestClient.open(bench.parts.sockets.vnc, { mode: 'view' })
    expect([viewer.width, viewer.height]).toEqual([800, 600])
    expect(bench.parts.viewers.count).toBe(1)
    await expect
      .poll(
        async () => {
          const at = await viewer.picture()
          return [at(0, 0), at(799, 0), at(0, 599), at(799, 599), at(200, 100)]
        },
        { timeout: 10_000 },
      )
      .toEqual([colour, colour, colour, colour, colour])
    viewer.close()
    await expect.poll(() => bench.parts.viewers.count).toBe(0)
  })

  test('a controller’s keys and clicks reach the page, a viewer’s do not', async () => {
    await bench.start({ url: probePage })
    const page = await bench.openPage()
    const lease = bench.take()
    const viewer = await RfbTestClient.open(bench.parts.sockets.vnc, { mode: 'view', leaseId: lease.leaseId })
    const controller = await RfbTestClient.open(bench.parts.sockets.vnc, { mode: 'control', leaseId: lease.leaseId })
    await seesPage(controller)
    viewer.pointer(1, 10, 10)
    viewer.pointer(0, 10, 10)
    viewer.type('viewer')
    controller.pointer(0, 50, 60)
    controller.pointer(1, 50, 60)
    controller.pointer(0, 50, 60)
    controller.type('ok')
    await expect.poll(() => evaluate(page, 'log.join()'), { timeout: 10_000 }).toBe('click 50,60,released,+o,-o,+k,-k')
    expect(bench.parts.viewers.count).toBe(2)
  })

  test('letters that no key is for arrive, as fast as they are sent, in order with all else', async () => {
    const field = '<textarea autofocus style="position:fixed;inset:0"></textarea>'
    await bench.start({ url: `data:text/html,${encodeURIComponent(field)}` })
    const page = await bench.openPage()
    await evaluate(page, 'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
    const lease = bench.take()
    const controller = await RfbTestClient.open(bench.parts.sockets.vnc, { mode: 'control', leaseId: lease.leaseId })
    const text = 'абвгдежзийклмнопрст wxyz αβγδεζηθ 漢字仮名交文 ok'
    for (const letter of text) {
      const point = letter.codePointAt(0) ?? 0
      const keysym = point < 0x100 ? point : 0x01000000 + point
      controller.key(keysym, true)
      controller.key(keysym, false)
    }
    const value = () => evaluate(page, 'document.querySelector("textarea").value')
    await expect.poll(value, { timeout: 20_000 }).toBe(text)
    // Of a viewer none is made: it takes no key from whoever has control.
    const viewer = await RfbTestClient.open(bench.parts.sockets.vnc, { mode: 'view' })
    viewer.key(0x01000430, true)
    await viewer.picture()
    expect(await value()).toBe(text)
  })

  test('a viewer takes control and gives it back on the connection it has, and only with the lease', async () => {
    await bench.start({ url: probePage })
    const page = await bench.openPage()
    const viewer = await RfbTestClient.open(bench.parts.sockets.vnc, { mode: 'view' })
    await seesPage(viewer)
    const watching = () => bench.parts.viewers.watching.map(({ control }) => control)
    const log = () => evaluate(page, 'log.join()')
    viewer.ask('control')
    viewer.ask('control', 'wrong')
    expect([viewer.told, watching()]).toEqual([['view', 'view'], [false]])
    viewer.pointer(1, 10, 10)
    viewer.pointer(0, 10, 10)
    viewer.type('no')
    const lease = bench.take()
    viewer.ask('control', lease.leaseId)
    expect([viewer.told.at(-1), watching()]).toEqual(['control', [true]])
    viewer.pointer(1, 50, 60)
    viewer.pointer(0, 50, 60)
    viewer.type('ok')
    const done = 'click 50,60,released,+o,-o,+k,-k'
    await expect.poll(log, { timeout: 10_000 }).toBe(done)
    viewer.key(0xffe1, true)
    await expect.poll(log).toBe(`${done},+Shift`)
    viewer.ask('view')
    expect([viewer.told.at(-1), watching()]).toEqual(['view', [false]])
    viewer.type('late')
    // What it held is let go, and what it typed afterwards went nowhere.
    await expect.poll(log).toBe(`${done},+Shift,-Shift`)
    await viewer.picture()
    expect(await log()).toBe(`${done},+Shift,-Shift`)
  })

  test('control needs the lease in force', async () => {
    await bench.start()
    const open = (leaseId?: string) =>
      RfbTestClient.open(bench.parts.sockets.vnc, { mode: 'control', ...(leaseId === undefined ? {} : { leaseId }) })
    await expect(open()).rejects.toMatchObject({ code: 'lease-gone' })
    const lease = bench.take()
    await expect(open('wrong')).rejects.toMatchObject({ code: 'lease-gone' })
    bench.parts.leases.handBack(lease.leaseId)
    await expect(open(lease.leaseId)).rejects.toMatchObject({ code: 'lease-gone' })
  })

  test('when the lease ends, held keys and buttons are let go, input stops, and the picture goes on', async () => {
    await bench.start({ url: probePage })
    const page = await bench.openPage()
    const lease = bench.take()
    const controller = await RfbTestClient.open(bench.parts.sockets.vnc, { mode: 'control', leaseId: lease.leaseId })
    await seesPage(controller)
    controller.pointer(1, 70, 80)
    controller.key(0xffe1, true)
    await expect.poll(() => evaluate(page, 'log.join()'), { timeout: 10_000 }).toBe('click 70,80,+Shift')
    bench.parts.leases.handBack(lease.leaseId)
    await expect.poll(() => evaluate(page, 'log.slice().sort().join()')).toBe('+Shift,-Shift,click 70,80,released')
    controller.type('late')
    const at = await controller.picture()
    expect(at(100, 100)).toBe(colour)
    expect(await evaluate(page, 'log.length')).toBe(4)
  })

  test('a stop closes it with a reason; a stream that makes no sense as well', async () => {
    await bench.start()
    const [watching, talking] = [
      await RfbTestClient.open(bench.parts.sockets.vnc, { mode: 'view' }),
      await RfbTestClient.open(bench.parts.sockets.vnc, { mode: 'view' }),
    ]
    talking.send(Buffer.from([99, 1, 2, 3]))
    expect(await talking.closed).toEqual({ code: 1007, reason: 'RFB message type 99 is not known here' })
    await bench.parts.browser.stop()
    expect(await watching.closed).toEqual({ code: 1001, reason: 'the browser ended' })
  })

  test('the window follows a display that a controller resizes', async () => {
    await bench.start({ url: probePage })
    const page = await bench.openPage()
    const lease = bench.take()
    const controller = await RfbTestClient.open(bench.parts.sockets.vnc, { mode: 'control', leaseId: lease.leaseId })
    const resize = Buffer.alloc(24)
    resize.set([251, 0, 4, 0, 2, 188, 1, 0])
    resize.writeUInt16BE(1024, 16)
    resize.writeUInt16BE(700, 18)
    // Without having said that it knows sizes: dropped, since Xvnc would crash on it.
    controller.send(resize)
    controller.send(writeEncodings([0, -308]))
    controller.send(resize)
    await expect
      .poll(() => evaluate(page, '[innerWidth, innerHeight, screen.width].join()'), { timeout: 10_000 })
      .toBe('1024,700,1024')
    expect((await bench.parts.browser.status()).resolution).toEqual({ width: 1024, height: 700, dpi: 96 })
  })
})

describe('other users of the machine', () => {
  test('find no port beyond loopback, no display without the cookie, no VNC without the password', async () => {
    const status = await bench.start()
    const { display } = bench.parts.browser.requireSession()
    const { stdout } = await run('ss', ['-Hltunp'])
    const family = (await run('ps', ['-eo', 'pid=,pgid='])).stdout
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number))
      .filter(([, group]) => status.processes.some((program) => program.pid === group))
    const listening = stdout.split('\n').filter((line) => family.some(([pid]) => line.includes(`pid=${pid},`)))
    const tcp = listening.filter((line) => line.startsWith('tcp'))
    expect(tcp).toHaveLength(2)
    for (const line of tcp) expect(line).toMatch(/\s127\.0\.0\.1:\d+\s/)

    const env = { PATH: process.env['PATH'], HOME: bench.dataDir }
    await expect(run('xwininfo', ['-root', '-display', status.display ?? ''], { env })).rejects.toThrow(/[Aa]uthori/)
    const withCookie = { ...env, XAUTHORITY: display?.env.XAUTHORITY }
    await run('xwininfo', ['-root', '-display', status.display ?? ''], { env: withCookie })

    const port = display?.vnc.port ?? 0
    for (let guess = 0; guess < 12; guess++)
      await expect(connectVnc({ port, password: 'guessing' })).rejects.toThrow(/refused/)
      // Guessing must not lock the agent out.
    ;(await connectVnc({ port, password: display?.vnc.password ?? '' })).destroy()

    const { stdout: commandLines } = await run('ps', ['-eo', 'args='])
    expect(commandLines).not.toContain(display?.vnc.password)
  })

  test('a silent connection to the VNC server does not keep others out', async () => {
    await bench.start()
    const port = bench.parts.browser.requireSession().display?.vnc.port ?? 0
    const silent = net.connect(port, '127.0.0.1')
    await new Promise((resolve) => silent.once('data', resolve))
    const viewer = await RfbTestClient.open(bench.parts.sockets.vnc, { mode: 'view' })
    await viewer.picture()
    silent.destroy()
  })
})
