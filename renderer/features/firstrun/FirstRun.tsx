import { Monitor, Plus } from 'lucide-react'
import { useApp } from '../../app/app.store.ts'
import { show } from '../../app/ui.store.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { damagedAndEmpty } from './damaged.ts'
import styles from './FirstRun.module.css'
import { LocalProgress } from './LocalProgress.tsx'
import { tryLocal, useLocalStart } from './local.store.ts'

/** No machines yet: one button brings a real browser to take over. */
export function FirstRun() {
  const start = useLocalStart((state) => state.start)
  const starting = start.phase === 'starting'
  const setAside = useApp((state) => state.info?.setAside ?? null)
  return (
    <div className={styles.screen}>
      <div className={styles.body}>
        {setAside !== null && <ErrorText problem={damagedAndEmpty(setAside.file)} />}
        <span className={styles.mark} aria-hidden />
        <h2>Take the helm of a browser</h2>
        <p>Start one on this computer and take it over within a minute, or add a machine that is already running.</p>
        {starting ? (
          <LocalProgress since={start.since} />
        ) : (
          <>
            {start.phase === 'failed' && <ErrorText problem={start.problem} />}
            <div className={styles.actions}>
              <Button
                variant="primary"
                size="large"
                icon={<Monitor size={16} aria-hidden />}
                data-testid="try-local"
                onClick={() => void tryLocal()}
              >
                {start.phase === 'failed' ? 'Try again' : 'Try it on this computer'}
              </Button>
              <Button size="large" icon={<Plus size={16} aria-hidden />} onClick={() => show('add-machine')}>
                Add a machine
              </Button>
            </div>
          </>
        )}
      </div>
    </div>
  )
}
