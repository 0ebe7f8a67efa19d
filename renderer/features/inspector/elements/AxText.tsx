import { type AxNode, isTooWide } from './ax.ts'
import styles from './Elements.module.css'

/** A node as a screen reader would say it. */
export function AxText({ node }: { node: AxNode | undefined }) {
  if (node === undefined) return null
  return (
    <span className={styles.markup}>
      <span className={styles.attribute}>{node.role}</span>
      {node.name !== '' && <span className={styles.string}>{` "${node.name.slice(0, 200)}"`}</span>}
      {node.value !== '' && <span className={styles.more}>{` = ${node.value.slice(0, 100)}`}</span>}
      {node.properties.map(([name, value]) => (
        <span key={name} className={styles.more}>
          {value === 'true' ? ` ${name}` : ` ${name}: ${value}`}
        </span>
      ))}
      {isTooWide(node) && (
        <span className={styles.more}>{` … ${node.untold.toLocaleString('en')} inside, too many to list`}</span>
      )}
    </span>
  )
}
