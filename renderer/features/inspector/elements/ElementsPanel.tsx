import { ChevronDown, ChevronUp, Highlighter, RefreshCw } from 'lucide-react'
import { type KeyboardEvent, useEffect, useMemo, useState } from 'react'
import { IconButton } from '../../../ui/IconButton.tsx'
import { SearchField } from '../../../ui/SearchField.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { useEngine } from '../../engine/engine.store.ts'
import { useChanging } from '../changing.ts'
import bar from '../PanelBar.module.css'
import type { PanelProps } from '../panels.tsx'
import { useSnapshot } from '../sessions.ts'
import { whyReadOnly } from '../takeOver.tsx'
import { VirtualTree } from '../VirtualTree.tsx'
import { AxText } from './AxText.tsx'
import { axOf } from './ax.ts'
import { domOf } from './dom.ts'
import styles from './Elements.module.css'
import { deleteNode, whyFixed } from './edit.ts'
import { Marking } from './marking.ts'
import { NodeDetail } from './NodeDetail.tsx'
import { nodeText } from './NodeText.tsx'
import { PagePreview } from './PagePreview.tsx'
import { type TreeRow, visibleRows } from './tree.ts'

type View = 'dom' | 'ax'

/** The page's elements, as markup and as assistive technology has them; what is pointed at is marked on the live page. */
export function ElementsPanel({ machine, session }: PanelProps) {
  const dom = domOf(session)
  const ax = axOf(session)
  const domVersion = useChanging(dom)
  const axVersion = useChanging(ax)
  const { phase } = useSnapshot(session)
  const [view, setView] = useState<View>('dom')
  const [axSelected, setAxSelected] = useState<string | null>(null)
  const engine = useEngine(machine.id)
  // A mark is in every picture of the page, those an engine looks at too: while one drives it has to be asked for.
  const driven = machine.lease === null && engine !== null && !['none', 'human'].includes(engine.engine)
  const [wished, setWished] = useState<boolean | null>(null)
  const marks = wished ?? !driven
  const marking = useMemo(() => new Marking(session), [session])
  useEffect(() => () => marking.dispose(), [marking])
  useEffect(() => {
    if (!marks) void marking.show(null)
  }, [marking, marks])
  useEffect(() => {
    if (view === 'ax' && phase === 'open' && ax.root === null) void ax.load()
  }, [view, phase, ax])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the tree
  const rows = useMemo(() => visibleRows(dom.nodes, dom.root, dom.expanded), [dom, domVersion])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the tree
  const axRows = useMemo(() => ax.rows(), [ax, axVersion])
  const { selected } = dom
  const target = (key: string | null) => {
    if (key === null) return view === 'dom' ? selected : axSelected === null ? null : (ax.node(axSelected) ?? null)
    return view === 'dom' ? (dom.nodes.get(key) ?? null) : (ax.node(key) ?? null)
  }
  const mark = (key: string | null) => {
    if (marks) void marking.show(target(key))
  }
  const search = useDomSearch(dom)
  const remove = (key: string) => {
    const node = dom.nodes.get(key)
    const why = whyReadOnly(machine) ?? (node === undefined ? undefined : whyFixed(node))
    if (node === undefined) return
    if (why !== undefined)
      return toast({ title: 'Not deleted', detail: `Deleting needs control: ${why}.`, kind: 'problem', id: 'dom' })
    deleteNode(session, node).catch((error: Error) =>
      toast({ title: 'Not deleted', detail: error.message, kind: 'problem', id: 'dom' }),
    )
  }
  return (
    <div className={bar.panel} data-testid="elements-panel">
      <div className={bar.bar} role="toolbar" aria-label="Elements">
        <div className={bar.chips}>
          <button type="button" className={bar.chip} aria-pressed={view === 'dom'} onClick={() => setView('dom')}>
            DOM
          </button>
          <button
            type="button"
            className={bar.chip}
            aria-pressed={view === 'ax'}
            data-testid="view-ax"
            onClick={() => setView('ax')}
          >
            Accessibility
          </button>
        </div>
        {view === 'dom' && (
          // biome-ignore lint/a11y/noStaticElementInteractions: Enter in the field inside goes to the next match
          <span className={styles.search} onKeyDown={search.onKeyDown}>
            <SearchField
              label="Find by text, selector or XPath"
              placeholder="Text, selector or XPath"
              value={search.query}
              onChange={search.setQuery}
              testId="dom-search"
            />
            {search.query !== '' && (
              <>
                <span className={styles.matches} role="status" data-testid="dom-matches">
                  {search.words}
                </span>
                <IconButton
                  label="Previous match"
                  icon={<ChevronUp size={14} aria-hidden />}
                  onClick={() => search.go(-1)}
                />
                <IconButton
                  label="Next match"
                  icon={<ChevronDown size={14} aria-hidden />}
                  onClick={() => search.go(1)}
                />
              </>
            )}
          </span>
        )}
        <span className={bar.end}>
          {view === 'ax' && ax.problem !== null && ax.problem}
          <button
            type="button"
            className={bar.chip}
            aria-pressed={marks}
            data-testid="toggle-marks"
            title={driven ? 'An engine drives: it would see the mark in its pictures of the page' : undefined}
            onClick={() => setWished(!marks)}
          >
            <Highlighter size={13} aria-hidden /> Mark on the page
          </button>
          <IconButton
            label="Read it again"
            icon={<RefreshCw size={14} aria-hidden />}
            onClick={() => void (view === 'dom' ? dom.load() : ax.load())}
          />
        </span>
      </div>
      <div className={styles.split}>
        <div className={styles.treeSide}>
          {view === 'dom' ? (
            <VirtualTree<TreeRow>
              label="The document"
              testId="dom-tree"
              items={rows}
              selected={selected?.key ?? null}
              onSelect={(key) => {
                dom.select(key)
                if (marks) void marking.show(dom.nodes.get(key) ?? null)
              }}
              onToggle={(key, open) => dom.toggle(key, open)}
              onHover={mark}
              onOpen={(key) => dom.toggle(key, !dom.expanded.has(key))}
              onDelete={remove}
              content={(row) => {
                const node = dom.nodes.get(row.key)
                return node === undefined ? null : nodeText(dom.nodes, node, row)
              }}
            />
          ) : (
            <VirtualTree
              label="The accessibility tree"
              testId="ax-tree"
              items={axRows}
              selected={axSelected}
              onSelect={(key) => {
                setAxSelected(key)
                if (marks) void marking.show(ax.node(key) ?? null)
              }}
              onToggle={(key, open) => ax.toggle(key, open)}
              onHover={mark}
              content={({ key }) => <AxText node={ax.node(key)} />}
            />
          )}
          {rows.length === 0 && view === 'dom' && (
            <p className={bar.empty}>
              {dom.loading || phase !== 'open' ? 'Reading the document…' : 'There is no document.'}
            </p>
          )}
        </div>
        <aside className={styles.side} aria-label="About the element">
          <PagePreview session={session} />
          {view === 'dom' ? (
            <NodeDetail machine={machine} session={session} dom={dom} node={selected} onDelete={remove} />
          ) : (
            <AxDetail node={axSelected === null ? undefined : ax.node(axSelected)} />
          )}
        </aside>
      </div>
    </div>
  )
}

function AxDetail({ node }: { node: ReturnType<ReturnType<typeof axOf>['node']> }) {
  if (node === undefined) return <p className={styles.hint}>Choose a node to see what is said about it.</p>
  const facts = [
    ['role', node.role],
    ['name', node.name || '(none)'],
    ...(node.value === '' ? [] : [['value', node.value]]),
    ...node.properties,
  ]
  return (
    <dl className={styles.facts} data-testid="ax-detail">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const searchWaitMs = 250

function useDomSearch(dom: ReturnType<typeof domOf>) {
  const [query, setQuery] = useState('')
  const [found, setFound] = useState<{ keys: string[]; total: number; at: number } | null>(null)
  const { generation } = dom
  // biome-ignore lint/correctness/useExhaustiveDependencies: another document is searched anew
  useEffect(() => {
    setFound(null)
    if (query.trim() === '') return
    let over = false
    const timer = setTimeout(() => {
      dom.search(query.trim()).then(
        ({ keys, total }) => {
          if (over) return
          setFound({ keys, total, at: 0 })
          if (keys[0] !== undefined) dom.reveal(keys[0])
        },
        () => !over && setFound({ keys: [], total: 0, at: 0 }),
      )
    }, searchWaitMs)
    return () => {
      over = true
      clearTimeout(timer)
    }
  }, [dom, query, generation])
  const go = (by: 1 | -1) => {
    if (found === null || found.keys.length === 0) return
    const at = (found.at + by + found.keys.length) % found.keys.length
    setFound({ ...found, at })
    const key = found.keys[at]
    if (key !== undefined) dom.reveal(key)
  }
  const words = found === null ? 'searching' : found.total === 0 ? 'no match' : `${found.at + 1} of ${found.total}`
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    go(event.shiftKey ? -1 : 1)
  }
  return { query, setQuery, words, go, onKeyDown }
}
