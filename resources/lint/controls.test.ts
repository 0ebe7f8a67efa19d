import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const renderer = path.join(import.meta.dirname, '..', '..', 'renderer')
const sources = readdirSync(renderer, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /^(features|app)[\\/].*\.tsx?$/.test(name),
)
const textOf = (name: string) => readFileSync(path.join(renderer, name), 'utf8')
const actions = sources
  .filter((name) => /actions\.ts$/.test(name))
  .map(textOf)
  .join('\n')

test('keys that a control shows are those of an action that is there', () => {
  for (const name of sources)
    for (const [, id = ''] of textOf(name).matchAll(/[kK]eysOf\('([^']+)'\)/g))
      expect(actions.includes(`'${id}'`), `${name}: ${id}`).toBe(true)
})

test('a control that an action presses is on a screen', () => {
  const shown = sources
    .filter((name) => !name.includes('actions.ts'))
    .map(textOf)
    .join('\n')
  for (const [, testId = ''] of textOf(path.join('app', 'control-actions.ts')).matchAll(/control\('([^']+)'/g)) {
    // Those of a request are made of its name.
    const made = testId.startsWith('request-') && shown.includes(`name="${testId.slice('request-'.length)}"`)
    expect(made || new RegExp(`(data-testid|testId)="${testId}"`).test(shown), testId).toBe(true)
  }
})

test('what is pressed on a screen is a control, which the palette and a screen reader find by its name', () => {
  const plain = /<(div|span|li|td|tr)\b[^>]*\bonClick=\{[^}]*\}/g
  for (const name of sources) {
    const found = [...textOf(name).matchAll(plain)].map(([text]) => text)
    // A press beside the buttons of a row is kept from the row; options and items of a tree are chosen with the keys of their list.
    expect(
      found.filter((text) => !/stopPropagation|role="(option|listbox)"|rolesOf\(/.test(text)),
      name,
    ).toEqual([])
  }
})

test('a button without words has a name', () => {
  for (const name of sources)
    for (const [button] of textOf(name).matchAll(/<IconButton\b(?:[^>]|=>)*?\/>/g))
      expect(button, name).toContain('label=')
})
