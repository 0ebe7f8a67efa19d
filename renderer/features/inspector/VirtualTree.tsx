import { useVirtualizer } from '@tanstack/react-virtual'
import { ChevronRight } from 'lucide-react'
import { type HTMLAttributes, type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import styles from './VirtualTree.module.css'

export interface TreeItem {
  key: string
  depth: number
  expandable: boolean
  expanded: boolean
  /** Belongs to a row above, such as its closing tag: seen, not stopped at. */
  closing: boolean
}

interface VirtualTreeProps<Item extends TreeItem> {
  label: string
  testId: string
  items: readonly Item[]
  selected: string | null
  onSelect: (key: string) => void
  onToggle: (key: string, open: boolean) => void
  onHover: (key: string | null) => void
  /** Enter, or a double click. */
  onOpen?: (key: string) => void
  onDelete?: ((key: string) => void) | undefined
  content: (item: Item) => ReactNode
}

const rowPx = 22

/** A tree that draws only what is in sight. One tab stop: arrows move, right opens, left closes or goes up. */
export function VirtualTree<Item extends TreeItem>(props: VirtualTreeProps<Item>) {
  const { items, selected, onSelect, onToggle, onHover } = props
  const scroller = useRef<HTMLDivElement>(null)
  const prefix = useId()
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 15,
    paddingStart: 4,
    paddingEnd: 8,
  })
  const at = items.findIndex(({ key, closing }) => key === selected && !closing)
  // Whatever selects a node, a search for one, brings it into sight.
  useEffect(() => {
    if (at !== -1) virtual.scrollToIndex(at, { align: 'auto' })
  }, [at, virtual])

  const step = (from: number, by: 1 | -1): number => {
    for (let next = from + by; next >= 0 && next < items.length; next += by)
      if (items[next]?.closing === false) return next
    return from
  }
  const move = (index: number) => {
    const item = items[index]
    if (item !== undefined) onSelect(item.key)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== scroller.current || event.ctrlKey || event.metaKey || event.altKey) return
    const item = items[at]
    const page = Math.max(1, Math.floor(scroller.current.clientHeight / rowPx) - 1)
    switch (event.key) {
      case 'ArrowDown':
        move(at === -1 ? 0 : step(at, 1))
        break
      case 'ArrowUp':
        move(step(at, -1))
        break
      case 'PageDown':
        move(step(Math.min(items.length, at + page), -1))
        break
      case 'PageUp':
        move(step(Math.max(-1, at - page - 1), 1))
        break
      case 'Home':
        move(0)
        break
      case 'End':
        move(step(items.length, -1))
        break
      case 'ArrowRight':
        if (item?.expandable && !item.expanded) onToggle(item.key, true)
        else if (item?.expanded) move(step(at, 1))
        break
      case 'ArrowLeft':
        if (item?.expanded) onToggle(item.key, false)
        else if (item !== undefined) move(items.findLastIndex((one, place) => place < at && one.depth < item.depth))
        break
      case 'Enter':
        if (item !== undefined) props.onOpen?.(item.key)
        break
      case 'Delete':
        if (item === undefined || props.onDelete === undefined) return
        props.onDelete(item.key)
        break
      default:
        return
    }
    event.preventDefault()
    event.stopPropagation()
  }
  const shown = virtual.getVirtualItems()
  return (
    <div
      ref={scroller}
      role="tree"
      aria-label={props.label}
      aria-activedescendant={shown.some(({ index }) => index === at) ? `${prefix}-${at}` : undefined}
      className={styles.tree}
      data-testid={props.testId}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onMouseLeave={() => onHover(null)}
    >
      <div role="presentation" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {shown.map(({ index, start, key }) => {
          const item = items[index]
          if (item === undefined) return null
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the tree itself takes the keys for its active row
            // biome-ignore lint/a11y/noStaticElementInteractions: its role is among what is spread
            <div
              key={key}
              id={`${prefix}-${index}`}
              {...rolesOf(item, index === at)}
              className={styles.row}
              data-selected={item.key === selected && !item.closing ? '' : undefined}
              data-key={item.key}
              style={{ transform: `translateY(${start}px)`, paddingLeft: 20 + Math.min(item.depth, 60) * 14 }}
              onClick={() => onSelect(item.key)}
              onDoubleClick={() => props.onOpen?.(item.key)}
              onMouseEnter={() => onHover(item.key)}
            >
              {item.expandable && (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the tree itself takes the arrows for it
                // biome-ignore lint/a11y/noStaticElementInteractions: see above
                <span
                  className={styles.arrow}
                  data-open={item.expanded ? '' : undefined}
                  onClick={(event) => {
                    event.stopPropagation()
                    onToggle(item.key, !item.expanded)
                  }}
                  onDoubleClick={(event) => event.stopPropagation()}
                >
                  <ChevronRight size={13} aria-hidden />
                </span>
              )}
              {props.content(item)}
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** The end of an element is there for the eye only. */
function rolesOf({ closing, depth, expandable, expanded }: TreeItem, selected: boolean): HTMLAttributes<HTMLElement> {
  if (closing) return { role: 'presentation' }
  return {
    role: 'treeitem',
    'aria-level': depth + 1,
    'aria-selected': selected,
    ...(expandable ? { 'aria-expanded': expanded } : {}),
  }
}
