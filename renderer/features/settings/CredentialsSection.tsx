import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { AppInfo } from '../../../shared/ipc.ts'
import type { CredentialVerdict, KeptCredential } from '../../../shared/ipc-settings.ts'
import { call } from '../../app/bridge.ts'
import { confirm } from '../../app/ui.store.ts'
import { useBusy, work } from '../../app/work.ts'
import { Age } from '../../ui/Age.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { AwsKeys } from './AwsKeys.tsx'
import { removalText, verdictLook } from './credentials.ts'
import styles from './Settings.module.css'
import { useAnswer } from './useAnswer.ts'

const keychains = {
  ready: 'Secrets are kept in this computer’s keychain.',
  missing: 'There is no keychain: secrets live as long as this run.',
  locked: 'The keychain is locked: secrets live as long as this run.',
  weak: 'The keychain is not safe enough: secrets live as long as this run.',
} as const

/** Every secret that is kept: that it is there, since when, and whether it still works. Never its value. */
export function CredentialsSection({ info: { keychain } }: { info: AppInfo }) {
  const { answer: kept, problem, ask } = useAnswer('credentials.list')
  const ready = keychain.state === 'ready'
  return (
    <>
      <Card title="Keychain">
        <div className={styles.state} data-testid="keychain">
          <StateDot tone={ready ? 'up' : 'unknown'} shape={ready ? 'round' : 'diamond'} />
          <div>
            {keychains[keychain.state]}
            {!ready && keychain.detail !== '' && <p>{keychain.detail}</p>}
          </div>
        </div>
      </Card>
      <Card title="Kept secrets" aside={kept === null ? '' : String(kept.length)}>
        {problem !== null && <ErrorText problem={problem} />}
        {kept?.length === 0 && (
          <p className={styles.quiet}>None yet. A machine’s secret comes here when the machine is added.</p>
        )}
        <ul className={styles.rows} data-testid="credentials">
          {kept?.map((one) => (
            <CredentialRow key={`${one.kind} ${one.id}`} kept={one} onGone={() => void ask()} />
          ))}
        </ul>
      </Card>
      <AwsKeys onKept={() => void ask()} />
    </>
  )
}

function CredentialRow({ kept, onGone }: { kept: KeptCredential; onGone: () => void }) {
  const { kind, id, title } = kept
  const [verdict, setVerdict] = useState<CredentialVerdict | null>(null)
  const key = `credential ${kind} ${id}`
  const busy = useBusy(key)
  const test = () =>
    void work(key, `Testing ${title}`, async () => setVerdict(await call('credentials.test', { kind, id })))
  const remove = () =>
    confirm({
      title: `Remove the ${kept.detail.toLowerCase().replace('aws', 'AWS').replace('ssh', 'SSH')}: ${title}?`,
      text: removalText[kind],
      action: 'Remove',
      run: async () => {
        const removed = await work(key, 'Removing it', async () => {
          await call('credentials.remove', { kind, id })
        })
        if (removed) onGone()
        return removed
      },
    })
  return (
    <li className={styles.row} data-testid={`credential-${kind}`}>
      <div className={styles.what}>
        <span className={styles.name}>{title}</span>
        <span className={styles.quiet}>
          {kept.detail}, kept for <Age at={kept.since} form="bare" />
        </span>
        {verdict !== null && (
          <span className={styles.verdict} role="status" data-testid="verdict" data-verdict={verdict.verdict}>
            <StateDot {...verdictLook[verdict.verdict]} /> {verdictLook[verdict.verdict].word}: {verdict.detail}
          </span>
        )}
      </div>
      {kept.where === 'this-run' && <Badge tone="unknown">this run only</Badge>}
      <Button busy={busy} onClick={test} aria-label={`Test ${title}`}>
        Test
      </Button>
      <IconButton label={`Remove ${title}`} icon={<Trash2 size={15} aria-hidden />} onClick={remove} />
    </li>
  )
}
