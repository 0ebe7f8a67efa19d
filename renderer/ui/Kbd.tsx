import styles from './Kbd.module.css'
import { describeKeys } from './keys.ts'

/** Keys as they stand on this computer's keyboard: `mod+k` is ⌘K on a Mac and Ctrl K elsewhere. */
export function Kbd({ keys }: { keys: string }) {
  return (
    <span className={styles.keys}>
      {describeKeys(keys).map((key, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a key sequence never changes its order
        <kbd key={place} className={styles.key}>
          {key}
        </kbd>
      ))}
    </span>
  )
}
