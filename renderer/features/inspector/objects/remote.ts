/** Values of a page, as Chromium describes them. All text in here is the page's own: shown, never believed. */

import { keptText } from '../../../../shared/domain/kept-text.ts'

export interface RemoteObject {
  type: string
  subtype?: string
  className?: string
  value?: unknown
  unserializableValue?: string
  description?: string
  objectId?: string
  preview?: Preview
}

interface Preview {
  type: string
  subtype?: string
  description?: string
  overflow?: boolean
  properties?: PreviewProperty[]
  entries?: { key?: Preview; value: Preview }[]
}

interface PreviewProperty {
  name: string
  type: string
  subtype?: string
  value?: string
}

export interface Property {
  name: string
  value?: RemoteObject
  get?: RemoteObject
  set?: RemoteObject
  enumerable?: boolean
  /** Chromium's own, such as [[Prototype]]. */
  internal?: boolean
}

const maxText = 20_000
export const clipped = (text: string, most = maxText) => (text.length > most ? `${keptText(text, most)}…` : text)

/** One line for a value, as a person would write it. `inside` another one, strings carry quotes. */
export function valueText(object: RemoteObject, inside = false): string {
  if (object.type === 'string') {
    const text = clipped(String(object.value ?? ''))
    return inside ? JSON.stringify(text) : text
  }
  if (object.unserializableValue !== undefined) return object.unserializableValue
  if (object.type === 'undefined' || object.subtype === 'null') return object.subtype === 'null' ? 'null' : 'undefined'
  if (object.type === 'function') return functionText(object.description ?? '')
  if (object.subtype === 'error') return clipped(object.description ?? 'Error')
  if (object.preview !== undefined) return previewText(object.preview, object.className)
  return clipped(object.description ?? String(object.value))
}

function functionText(source: string): string {
  const head = /^(class\s+[\w$]*|(?:async\s+)?(?:function\s*\*?\s*)?[\w$]*\s*\([^)]{0,80}\))/.exec(source)
  const text = head?.[1]?.replace(/^(async\s+)?function\s*/, '$1') ?? 'function'
  return text.startsWith('class') ? text : `ƒ ${text}`
}

function previewText(preview: Preview, className?: string): string {
  const { properties = [], entries, overflow, subtype, description } = preview
  const inside = entries?.map(({ key, value }) =>
    key === undefined ? plainPreview(value) : `${plainPreview(key)} => ${plainPreview(value)}`,
  )
  const isList = subtype === 'array' || subtype === 'typedarray'
  const parts =
    inside ??
    properties.map((property) => {
      const value = previewValue(property)
      return isList && /^\d+$/.test(property.name) ? value : `${property.name}: ${value}`
    })
  if (overflow === true) parts.push('…')
  if (isList) return `${listPrefix(description, parts.length)}[${parts.join(', ')}]`
  const name = description ?? className ?? ''
  const body = parts.length === 0 ? '{}' : `{${parts.join(', ')}}`
  if (subtype === 'node' || subtype === 'date' || subtype === 'regexp') return clipped(name)
  return name === '' || name === 'Object' ? body : `${name} ${body}`
}

const listPrefix = (description: string | undefined, shown: number) =>
  description !== undefined && shown > 1 ? `${description.replace(/^Array/, '')} ` : ''

const plainPreview = (preview: Preview) =>
  preview.type === 'string' ? JSON.stringify(preview.description ?? '') : (preview.description ?? preview.type)

function previewValue({ type, value, subtype }: PreviewProperty): string {
  if (type === 'string') return JSON.stringify(value ?? '')
  if (type === 'accessor') return '(…)'
  if (type === 'function') return 'ƒ'
  if (value === undefined || value === '') return type
  return value === 'Object' ? '{…}' : subtype === 'array' ? value.replace(/^Array/, '') : value
}

/** A tone for a value, told by its kind; the word itself says the same. */
export function valueTone({ type, subtype }: Pick<RemoteObject, 'type' | 'subtype'>): string {
  if (subtype === 'null' || type === 'undefined') return 'nothing'
  if (subtype === 'error') return 'error'
  if (subtype === 'node') return 'node'
  return type
}

/** Above this, a list is not read: the page would describe every element of it, and could end by that. */
const mostElements = 10_000

/** How many elements a list has, where they are too many to be read; null for everything else. */
export function tooMany({ subtype, description }: Pick<RemoteObject, 'subtype' | 'description'>): number | null {
  if (subtype !== 'array' && subtype !== 'typedarray') return null
  const length = Number(/\((\d+)\)$/.exec(description ?? '')?.[1] ?? 0)
  return length > mostElements ? length : null
}

export const isExpandable = (object: RemoteObject) => object.objectId !== undefined

/** What a console message says, in pieces: text, and values that can be opened. */
export type Piece = { text: string } | { object: RemoteObject }

/** As a browser's console reads its arguments: %s and the like are filled in, %c is left out, the rest follows. */
export function formatArgs(args: readonly RemoteObject[]): Piece[] {
  const [first, ...rest] = args
  if (first?.type !== 'string') return args.map(pieceOf)
  const text = String(first.value ?? '')
  if (rest.length === 0 || !text.includes('%')) return [{ text: clipped(text) }, ...rest.map(pieceOf)]
  const pieces: Piece[] = []
  let said = ''
  let at = 0
  for (const match of text.matchAll(/%([sdifoOc%])/g)) {
    said += text.slice(at, match.index)
    at = match.index + 2
    if (match[1] === '%') {
      said += '%'
      continue
    }
    const object = rest.shift()
    if (object === undefined) said += match[0]
    else if (match[1] === 'c') continue
    else if (match[1] === 's') said += valueText(object)
    else if (match[1] === 'o' || match[1] === 'O') {
      if (said !== '') pieces.push({ text: said })
      said = ''
      pieces.push(pieceOf(object))
    } else said += numberText(match[1] ?? '', object)
  }
  said += text.slice(at)
  if (said !== '') pieces.push({ text: clipped(said) })
  return [...pieces, ...rest.map(pieceOf)]
}

function numberText(kind: string, object: RemoteObject): string {
  const number = Number(object.unserializableValue ?? object.value)
  return String(kind === 'f' ? number : Math.trunc(number))
}

function pieceOf(object: RemoteObject): Piece {
  if (object.type === 'string') return { text: clipped(String(object.value ?? '')) }
  const { description } = object
  return { object: description === undefined ? object : { ...object, description: clipped(description) } }
}

export const piecesText = (pieces: readonly Piece[]) =>
  pieces.map((piece) => ('text' in piece ? piece.text : valueText(piece.object))).join(' ')

/** The properties of an object from Chromium's answer, its own internal ones last. */
export function readProperties(answer: Record<string, unknown>): Property[] {
  const own = ((answer['result'] as Property[] | undefined) ?? []).filter(({ name }) => typeof name === 'string')
  const internal = ((answer['internalProperties'] as Property[] | undefined) ?? []).filter(
    ({ value }) => value !== undefined,
  )
  return [...own, ...internal.map((property) => ({ ...property, internal: true }))]
}
