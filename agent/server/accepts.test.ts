import { expect, test } from 'vitest'
import { preferredType } from './accepts.ts'

const types = ['application/json', 'application/openmetrics-text', 'text/plain'] as const
const json = types[0]

test.each([
  [undefined, json],
  ['', json],
  ['*/*', json],
  // What axios sends when nobody says anything, and a browser.
  ['application/json, text/plain, */*', json],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', json],
  ['text/plain', 'text/plain'],
  ['TEXT/Plain; charset=utf-8', 'text/plain'],
  ['text/*', 'text/plain'],
  ['text/plain, */*', 'text/plain'],
  ['text/plain;q=0.5, application/json', json],
  ['text/plain;q=0, */*', json],
  ['text/plain;q=0.9, application/json;q=0.8', 'text/plain'],
  ['application/*;q=0.2, text/plain;q=0.3', 'text/plain'],
  // Prometheus, as it has asked since version 2.43.
  [
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
    'application/openmetrics-text',
  ],
  ['text/plain;version=0.0.4;q=0.5,*/*;q=0.1', 'text/plain'],
  // Nothing that we have: what it always was.
  ['image/png', json],
  ['text/plain;q=nonsense', json],
] as const)('%s gets %s', (accept, type) => {
  expect(preferredType(accept, types)).toBe(type)
})
