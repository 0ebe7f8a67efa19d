import { expect, test } from 'vitest'
import { firstWish, formatBytes, linksText, screenshotParams } from './capture.ts'

test('quality is for the formats that have one; an element is never the whole page', () => {
  expect(screenshotParams({ ...firstWish, fullPage: true })).toEqual({ format: 'png', fullPage: true })
  expect(screenshotParams({ ...firstWish, format: 'jpeg', quality: 40 })).toEqual({
    format: 'jpeg',
    quality: 40,
    fullPage: false,
  })
  expect(screenshotParams({ ...firstWish, fullPage: true, selector: ' #offer ' })).toEqual({
    format: 'png',
    selector: '#offer',
  })
})

test('links are one line each, whatever their text', () => {
  const links = [
    { href: 'https://a.example/', text: '  Two\n lines ' },
    { href: 'javascript:alert(1)', text: '' },
  ]
  expect(linksText(links)).toBe('Two lines\thttps://a.example/\n(no text)\tjavascript:alert(1)')
})

test('sizes carry their unit', () => {
  expect([0, 999, 1500, 2_400_000].map(formatBytes)).toEqual(['0 B', '999 B', '1.5 kB', '2.4 MB'])
})
