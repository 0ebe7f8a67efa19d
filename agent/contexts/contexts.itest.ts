import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { benchForFile } from '../pages/pages-bench.ts'

const bench = benchForFile()
const contexts = () => bench.api.contexts
const cookies = () => bench.api.cookies
const folder = () => path.join(bench.rig.dataDir, 'contexts')

describe('contexts', () => {
  test('the one in use is named, sized and kept', async () => {
    const [used] = (await contexts().list()).contexts
    expect(used).toMatchObject({ id: 'default', name: 'default', inUse: true })
    expect(used?.sizeBytes).toBeGreaterThan(10_000)
    await expect(contexts().delete({ id: 'default' })).rejects.toMatchObject({ code: 'conflict', status: 409 })
    expect(existsSync(path.join(folder(), 'default', 'profile'))).toBe(true)
  })

  test('made, used by a start, deleted with everything in it', async () => {
    const made = await contexts().create({ name: 'Käufer 1 / ../x' })
    expect(made).toMatchObject({ name: 'Käufer 1 / ../x', inUse: false })
    expect(made.id).toMatch(/^[A-Za-z0-9][A-Za-z0-9_-]*$/)
    await expect(contexts().create({ name: 'Käufer 1 / ../x' })).rejects.toMatchObject({ code: 'conflict' })
    await cookies().set({ name: 'kept', value: 'in default', domain: 'a.example', expires: Date.now() / 1000 + 3600 })
    await bench.api.browser.stop()
    await bench.api.browser.start({ headless: true, contextId: made.id })
    expect((await cookies().list()).cookies).toEqual([])
    await expect(contexts().delete({ id: made.id })).rejects.toMatchObject({ code: 'conflict' })
    await bench.api.browser.stop()
    expect(await contexts().delete({ id: made.id })).toEqual({ ok: true })
    expect(existsSync(path.join(folder(), made.id))).toBe(false)
    await expect(contexts().delete({ id: made.id })).rejects.toMatchObject({ code: 'not-found' })
    await bench.api.browser.start({ headless: true })
    expect((await cookies().list()).cookies.map((cookie) => cookie.name)).toContain('kept')
  })

  test('nothing outside its folder is listed or deleted', async () => {
    const outside = path.join(bench.rig.dataDir, 'outside')
    mkdirSync(outside)
    writeFileSync(path.join(outside, 'file'), 'x')
    symlinkSync(outside, path.join(folder(), 'linked'))
    expect((await contexts().list()).contexts.map((context) => context.id)).not.toContain('linked')
    await expect(contexts().delete({ id: 'linked' })).rejects.toMatchObject({ code: 'not-found' })
    for (const id of ['..', '../outside', '.', 'a/b', 'a\0', 'x'.repeat(65), ''])
      await expect(contexts().delete({ id })).rejects.toMatchObject({ status: expect.toBeOneOf([400, 404]) })
    expect(existsSync(path.join(outside, 'file'))).toBe(true)
  })
})

describe('cookies', () => {
  test('those that the server set, the hidden ones too', async () => {
    await bench.open('/cookies')
    const { cookies: sent } = await cookies().list({ url: bench.pages.origin })
    expect(sent.map((cookie) => [cookie.name, cookie.value, cookie.httpOnly])).toEqual(
      expect.arrayContaining([
        ['server', '1', false],
        ['hidden', '2', true],
      ]),
    )
    expect((await cookies().list({ url: 'https://other.example' })).cookies).toEqual([])
    await expect(cookies().list({ url: 'file:///x' })).rejects.toMatchObject({ code: 'invalid-url' })
  })

  test('set for a domain, an address or the page in front', async () => {
    await bench.open('/')
    await cookies().set({ name: 'here', value: 'canary-cookie' })
    expect(await bench.evaluate('document.cookie')).toContain('here=canary-cookie')
    const expires = Math.floor(Date.now() / 1000) + 3600
    await cookies().set({
      ...{ name: 'full', value: 'v', domain: 'b.example', path: '/p', expires },
      ...{ httpOnly: true, secure: true, sameSite: 'Strict' },
    })
    const found = (await cookies().list()).cookies.find((cookie) => cookie.name === 'full')
    expect(found).toMatchObject({
      domain: expect.stringContaining('b.example'),
      path: '/p',
      httpOnly: true,
      secure: true,
      sameSite: 'Strict',
    })
    expect(Math.round(found?.expires ?? 0)).toBe(expires)
    await cookies().set({ name: 'there', value: 'v', url: 'https://c.example/x' })
    expect((await cookies().list({ url: 'https://c.example' })).cookies.map((cookie) => cookie.name)).toEqual(['there'])
    expect(JSON.stringify(await bench.api.audit.list({ pageSize: 100 }))).not.toContain('canary-cookie')
  })

  test('what the browser would not take', async () => {
    await bench.api.browser.navigate({ url: 'about:blank' })
    await expect(cookies().set({ name: 'a', value: 'b' })).rejects.toMatchObject({ code: 'invalid-url' })
    const bad = cookies().set({ name: 'a;b', value: 'b', domain: 'd.example' })
    await expect(bad).rejects.toMatchObject({ code: 'invalid-params', status: 400 })
    // Chromium drops it without a word.
    const dropped = cookies().set({ name: 'all', value: 'b', domain: 'd.example', sameSite: 'None' })
    await expect(dropped).rejects.toMatchObject({ code: 'invalid-params' })
    await cookies().set({ name: 'all', value: 'b', domain: 'd.example', sameSite: 'None', secure: true })
    await cookies().set({ name: 'all', value: 'b', domain: 'd.example', secure: true, expires: 1 })
    expect((await cookies().list({ url: 'https://d.example' })).cookies).toEqual([])
  })

  test('one that is kept apart is told apart: changed and deleted, its namesakes stay as they are', async () => {
    const one = { name: 'apart', domain: 'g.example', secure: true, sameSite: 'None' } as const
    const [top, frame] = ['https://shop.example', 'https://shop.example cross-site']
    const found = async () => {
      const { cookies: all } = await cookies().list()
      const mine = all.filter(({ name }) => name === 'apart')
      return Object.fromEntries(mine.map(({ partition, path, value }) => [`${partition} ${path}`, value]))
    }
    await cookies().set({ ...one, value: 'plain' })
    await cookies().set({ ...one, value: 'deeper', path: '/deep' })
    for (const partition of [top, frame]) await cookies().set({ ...one, value: partition, partition })
    await cookies().set({ ...one, value: 'changed', partition: frame })
    const rest = { 'null /deep': 'deeper', [`${top} /`]: top, [`${frame} /`]: 'changed' }
    expect(await found()).toEqual({ 'null /': 'plain', ...rest })
    await cookies().delete({ name: 'apart', domain: 'g.example', path: '/', partition: '' })
    expect(await found()).toEqual(rest)
    await cookies().delete({ name: 'apart', partition: top })
    expect(await found()).toEqual({ 'null /deep': 'deeper', [`${frame} /`]: 'changed' })
    await cookies().delete({ name: 'apart' })
    expect(await found()).toEqual({})
  })

  test('deleted everywhere, or of one domain', async () => {
    for (const domain of ['e.example', 'f.example']) await cookies().set({ name: 'twice', value: '1', domain })
    const left = async () => (await cookies().list()).cookies.filter((cookie) => cookie.name === 'twice')
    expect(await left()).toHaveLength(2)
    await cookies().delete({ name: 'twice', domain: 'e.example' })
    expect((await left()).map((cookie) => cookie.domain)).toEqual([expect.stringContaining('f.example')])
    await cookies().delete({ name: 'twice' })
    expect(await left()).toEqual([])
  })
})
