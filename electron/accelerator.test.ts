import { expect, test } from 'vitest'
import { acceleratorOf } from './accelerator.ts'

test.each([
  ['mod+,', 'CmdOrCtrl+,'],
  ['mod+shift+k', 'CmdOrCtrl+Shift+K'],
  ['ctrl+alt+f5', 'Ctrl+Alt+F5'],
])('%s stands in a menu as %s', (keys, accelerator) => expect(acceleratorOf(keys)).toBe(accelerator))

test.each(['g f', 'a', 'shift+a', 'hyper+k', ''])('"%s" cannot stand in a menu', (keys) =>
  expect(acceleratorOf(keys)).toBeUndefined(),
)
