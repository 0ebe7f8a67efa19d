import { ChevronRight } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import styles from './Objects.module.css'
import { isExpandable, type Property, type RemoteObject, tooMany, valueText, valueTone } from './remote.ts'

/** How an object is opened, and what was opened already: a row that scrolls out of sight and back is as it was. */
export interface ObjectReader {
  read(objectId: string): Promise<Property[]>
  opened: Map<string, Opened>
}

export type Opened = { properties: readonly Property[] } | { problem: string } | { elements: number }

interface ObjectViewProps {
  object: RemoteObject
  reader: ObjectReader
  /** Where it stands; the key under which it is remembered. */
  path: string
  name?: string
  quiet?: boolean
  nested?: boolean
}

/** So many at a time: each row of a thousand would be drawn at once. */
const lot = 500

/** A value of the page: one line, and what is in it when asked. */
export function ObjectView({ object, reader, path, name, quiet = false, nested = false }: ObjectViewProps) {
  const [, draw] = useState(0)
  const opened = reader.opened.get(path)
  const settle = (next: Opened | undefined) => {
    if (next === undefined) reader.opened.delete(path)
    else reader.opened.set(path, next)
    draw((count) => count + 1)
  }
  const open = () => {
    if (object.objectId === undefined || opened !== undefined) return
    const elements = tooMany(object)
    if (elements !== null) return settle({ elements })
    reader.read(object.objectId).then(
      (properties) => settle({ properties }),
      (error: unknown) => settle({ problem: error instanceof Error ? error.message : String(error) }),
    )
  }
  const line = (
    <>
      {name !== undefined && (
        <span className={styles.name} data-quiet={quiet ? '' : undefined}>
          {name}
          <span className={styles.colon}>: </span>
        </span>
      )}
      <span className={styles.value} data-tone={valueTone(object)}>
        {valueText(object, nested || name !== undefined)}
      </span>
    </>
  )
  if (!isExpandable(object)) return <span className={styles.line}>{line}</span>
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowRight' && opened === undefined) open()
    else if (event.key === 'ArrowLeft' && opened !== undefined) settle(undefined)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <span className={styles.object}>
      <button
        type="button"
        className={styles.toggle}
        aria-expanded={opened !== undefined}
        data-testid="object"
        onClick={() => (opened === undefined ? open() : settle(undefined))}
        onKeyDown={onKeyDown}
      >
        <ChevronRight size={12} aria-hidden className={styles.arrow} />
        {line}
      </button>
      {opened !== undefined && <Inside opened={opened} reader={reader} path={path} />}
    </span>
  )
}

function Inside({ opened, reader, path }: { opened: Opened; reader: ObjectReader; path: string }) {
  if ('problem' in opened)
    return <span className={styles.gone}>It can no longer be read: {opened.problem.slice(0, 200)}</span>
  if ('elements' in opened)
    return (
      <span className={styles.gone}>
        {opened.elements.toLocaleString('en')} elements: reading them all could end the page. Evaluate shows a part of
        them, such as list.slice(0, 100).
      </span>
    )
  if (opened.properties.length === 0) return <span className={styles.gone}>Nothing in it</span>
  return <Properties properties={opened.properties} reader={reader} path={path} />
}

function Properties({
  properties,
  reader,
  path,
}: Omit<ObjectViewProps, 'object'> & { properties: readonly Property[] }) {
  const [shown, show] = useState(lot)
  const left = properties.length - shown
  return (
    <ul className={styles.inside}>
      {properties.slice(0, shown).map((property, place) => {
        const quiet = property.internal === true || property.enumerable === false
        const name = property.internal === true ? `[[${property.name.replace(/^\[\[|\]\]$/g, '')}]]` : property.name
        const key = `${path}/${place}`
        return (
          <li key={key}>
            {property.value === undefined ? (
              <span className={styles.line}>
                <span className={styles.name} data-quiet="">
                  {name}
                  <span className={styles.colon}>: </span>
                </span>
                {/* Reading it would run code of the page. */}
                <span className={styles.gone}>{accessorWords(property)}</span>
              </span>
            ) : (
              <ObjectView object={property.value} reader={reader} path={key} name={name} quiet={quiet} />
            )}
          </li>
        )
      })}
      {left > 0 && (
        <li>
          <button type="button" className={styles.more} data-testid="object-more" onClick={() => show(shown + lot)}>
            Show {Math.min(lot, left).toLocaleString('en')} more of {left.toLocaleString('en')}
          </button>
        </li>
      )}
    </ul>
  )
}

const accessorWords = ({ get, set }: Property) =>
  get?.type === 'function' ? (set?.type === 'function' ? 'getter and setter' : 'getter') : 'setter'
