import { Crosshair, Pencil, Plus, Trash2, X } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { Input } from '../../../ui/Field.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { SearchField } from '../../../ui/SearchField.tsx'
import { toast } from '../../../ui/Toast.tsx'
import type { PanelProps } from '../panels.tsx'
import { whyReadOnly } from '../takeOver.tsx'
import { type Box, BoxFigure, readBox } from './BoxFigure.tsx'
import type { DomModel } from './dom.ts'
import styles from './Elements.module.css'
import { removeAttribute, scrollTo, setAttribute, setText, whyFixed } from './edit.ts'
import { type DomNode, inlineText, selectorOf } from './tree.ts'

interface NodeDetailProps extends PanelProps {
  dom: DomModel
  node: DomNode | null
  onDelete: (key: string) => void
}

/** What is known of a node, and with control the ways to change it. */
export function NodeDetail({ machine, session, dom, node, onDelete }: NodeDetailProps) {
  if (node === null) return <p className={styles.hint}>Choose an element to see its attributes, box and styles.</p>
  const why = whyReadOnly(machine) ?? whyFixed(node)
  const label = (title: string) => (why === undefined ? title : `${title}: ${why}`)
  const act = (what: string, task: () => Promise<void>) => {
    task().catch((error: Error) =>
      toast({ title: `${what} failed`, detail: error.message, kind: 'problem', id: 'dom' }),
    )
  }
  const selector = selectorOf(dom.nodes, node.key)
  const textNode =
    node.kind === 'text'
      ? node
      : inlineText(dom.nodes, node) === undefined
        ? null
        : (dom.nodes.get(node.children?.[0] ?? '') ?? null)
  return (
    <div className={styles.detail} data-testid="node-detail">
      <div className={styles.selector}>
        <code data-testid="node-selector">{selector || node.kind}</code>
        {selector !== '' && <CopyButton text={selector} label="Copy the selector" />}
        <IconButton
          label={label('Scroll to it')}
          icon={<Crosshair size={14} aria-hidden />}
          disabled={why !== undefined}
          onClick={() => act('Scrolling', () => scrollTo(session, node))}
        />
        <IconButton
          label={label('Delete the node')}
          icon={<Trash2 size={14} aria-hidden />}
          disabled={why !== undefined}
          data-testid="node-delete"
          onClick={() => onDelete(node.key)}
        />
      </div>
      {node.kind === 'element' && (
        <Attributes
          key={node.key}
          node={node}
          why={why}
          onSet={(name, value) => act('Changing the attribute', () => setAttribute(session, node, name, value))}
          onRemove={(name) => act('Removing the attribute', () => removeAttribute(session, node, name))}
        />
      )}
      {textNode !== null && (
        <section className={styles.part}>
          <h3>Text</h3>
          <Editable
            name="Text"
            value={textNode.value}
            why={why}
            testId="edit-text"
            onSet={(value) => act('Changing the text', () => setText(session, textNode, value))}
          />
        </section>
      )}
      {node.kind === 'element' && <Measures key={`m ${node.key}`} session={session} node={node} />}
    </div>
  )
}

interface AttributesProps {
  node: DomNode
  why: string | undefined
  onSet: (name: string, value: string) => void
  onRemove: (name: string) => void
}

function Attributes({ node, why, onSet, onRemove }: AttributesProps) {
  const [adding, setAdding] = useState(false)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const [name, ...value] = String(new FormData(event.currentTarget).get('attribute') ?? '').split('=')
    setAdding(false)
    if (name?.trim()) onSet(name.trim(), value.join('=').replace(/^"|"$/g, ''))
  }
  return (
    <section className={styles.part}>
      <h3>
        Attributes
        {why === undefined && (
          <IconButton label="Add an attribute" icon={<Plus size={13} aria-hidden />} onClick={() => setAdding(true)} />
        )}
      </h3>
      {node.attributes.length === 0 && !adding && <p className={styles.none}>None</p>}
      {node.attributes.map(([name, value]) => (
        <div key={name} className={styles.attributeRow}>
          <code className={styles.attribute}>{name}</code>
          <Editable name={name} value={value} why={why} testId={`edit-${name}`} onSet={(next) => onSet(name, next)} />
          {why === undefined && (
            <IconButton label={`Remove ${name}`} icon={<X size={12} aria-hidden />} onClick={() => onRemove(name)} />
          )}
        </div>
      ))}
      {adding && (
        <form onSubmit={submit}>
          <Input
            name="attribute"
            autoFocus
            aria-label="New attribute"
            placeholder='name="value"'
            onBlur={() => setAdding(false)}
          />
        </form>
      )}
    </section>
  )
}

interface EditableProps {
  name: string
  value: string
  why: string | undefined
  testId: string
  onSet: (value: string) => void
}

/** A text that becomes a field while it is changed; Enter keeps, Escape leaves it as it was. */
function Editable({ name, value, why, testId, onSet }: EditableProps) {
  const [typed, setTyped] = useState<string | null>(null)
  if (typed !== null && why === undefined)
    return (
      <Input
        autoFocus
        aria-label={`New value of ${name}`}
        data-testid={`${testId}-field`}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={() => setTyped(null)}
        onKeyDown={(event) => {
          event.stopPropagation()
          if (event.key === 'Enter') onSet(typed)
          if (event.key === 'Enter' || event.key === 'Escape') setTyped(null)
        }}
      />
    )
  return (
    <button
      type="button"
      className={styles.editable}
      aria-disabled={why !== undefined || undefined}
      title={why === undefined ? undefined : `To change it, ${why}`}
      data-testid={testId}
      onClick={() => why === undefined && setTyped(value)}
    >
      <span className={styles.string}>{value.slice(0, 1000)}</span>
      {why === undefined && <Pencil size={11} aria-hidden />}
    </button>
  )
}

interface Measured {
  box: Box | null
  styles: readonly (readonly [string, string])[]
}

function Measures({ session, node }: { session: PanelProps['session']; node: DomNode }) {
  const [measured, setMeasured] = useState<Measured>({ box: null, styles: [] })
  const [filter, setFilter] = useState('')
  const { nodeId, sessionId, attributes } = node
  // biome-ignore lint/correctness/useExhaustiveDependencies: other attributes may well mean other styles
  useEffect(() => {
    let over = false
    const ask = async () => {
      await session.send('CSS.enable', {}, sessionId)
      const [box, computed] = await Promise.all([
        session.send('DOM.getBoxModel', { nodeId }, sessionId).catch(() => null),
        session.send('CSS.getComputedStyleForNode', { nodeId }, sessionId),
      ])
      const pairs = computed['computedStyle'] as { name: string; value: string }[]
      if (!over)
        setMeasured({
          box: box === null ? null : readBox(box['model'] as Record<string, unknown>),
          styles: pairs.map(({ name, value }) => [name, value] as const).filter(([name]) => !name.startsWith('--')),
        })
    }
    ask().catch(() => {})
    return () => {
      over = true
    }
  }, [session, nodeId, sessionId, attributes])
  const sought = filter.trim().toLowerCase()
  const shown = measured.styles.filter(([name, value]) =>
    sought === '' ? usual.has(name) : `${name}: ${value}`.includes(sought),
  )
  return (
    <>
      <section className={styles.part}>
        <h3>Box</h3>
        {measured.box === null ? <p className={styles.none}>It is not drawn</p> : <BoxFigure box={measured.box} />}
      </section>
      <section className={styles.part}>
        <h3>Computed</h3>
        <SearchField label="Filter the styles" placeholder="Filter all styles" value={filter} onChange={setFilter} />
        <dl className={styles.facts}>
          {shown.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value.slice(0, 300)}</dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  )
}

const usual = new Set(
  'display position color background-color font-family font-size font-weight line-height opacity visibility overflow-x overflow-y z-index cursor pointer-events'.split(
    ' ',
  ),
)
