import { memo } from 'react'
import styles from './Elements.module.css'
import { type DomNode, inlineText, type Nodes, type TreeRow } from './tree.ts'

const most = 300
const short = (text: string) => (text.length > most ? `${text.slice(0, most)}…` : text)

/** A node as markup is written. All of it is text of the page, and stays text. */
export const NodeText = memo(function NodeText({
  node,
  row,
  inline,
}: {
  node: DomNode
  row: TreeRow
  inline: string | undefined
}) {
  if (row.closing) return <span className={styles.tag}>{`</${node.name}>`}</span>
  switch (node.kind) {
    case 'element':
      return (
        <span className={styles.markup}>
          <span className={styles.tag}>{`<${node.name}`}</span>
          {node.attributes.map(([name, value]) => (
            <span key={name}>
              {' '}
              <span className={styles.attribute}>{name}</span>
              {value !== '' && (
                <>
                  <span className={styles.punct}>="</span>
                  <span className={styles.string}>{short(value)}</span>
                  <span className={styles.punct}>"</span>
                </>
              )}
            </span>
          ))}
          <span className={styles.tag}>{'>'}</span>
          {inline !== undefined && inline}
          {!row.expanded && row.expandable && <span className={styles.more}>…</span>}
          {!row.expanded && (inline !== undefined || row.expandable) && (
            <span className={styles.tag}>{`</${node.name}>`}</span>
          )}
        </span>
      )
    case 'text':
      return <span>{`"${short(node.value.trim().replace(/\s+/g, ' '))}"`}</span>
    case 'comment':
      return <span className={styles.comment}>{`<!--${short(node.value.replace(/\s+/g, ' '))}-->`}</span>
    case 'doctype':
      return <span className={styles.comment}>{`<!doctype ${node.name}>`}</span>
    case 'shadow':
      return <span className={styles.special}>{`#shadow-root (${node.note})`}</span>
    case 'document':
      return (
        <span className={styles.special}>
          #document <span className={styles.more}>{short(node.note)}</span>
        </span>
      )
    case 'pseudo':
      return <span className={styles.special}>{node.note}</span>
    default:
      return <span className={styles.special}>#{node.name.replace('#', '')}</span>
  }
})

export function nodeText(nodes: Nodes, node: DomNode, row: TreeRow) {
  return <NodeText node={node} row={row} inline={row.closing ? undefined : inlineText(nodes, node)} />
}
