import { type FormEvent, useState } from 'react'
import { readTagPattern } from '../../../shared/domain/tag-pattern.ts'
import type { FeedConfig, FeedView } from '../../../shared/ipc-deploys.ts'
import { call, problemOf } from '../../app/bridge.ts'
import { confirm } from '../../app/ui.store.ts'
import { work } from '../../app/work.ts'
import { Age } from '../../ui/Age.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { FormProblem, type ShownProblem } from '../../ui/ErrorText.tsx'
import { Field, Input } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import styles from './Deploys.module.css'
import { readFeeds } from './deploys.store.ts'
import formStyles from './NewDeploy.module.css'
import { failureChoices, readCount } from './options.ts'

interface FeedDialogProps {
  feed: FeedView
  open: boolean
  onClose: () => void
}

/** Which registry an environment's images come from, and which of its tags count. */
export function FeedDialog({ feed, open, onClose }: FeedDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Images for ${feed.environment}`}
      description="A Docker registry (API v2) that is asked for new tags while this console runs. Its login stands in the keychain and goes to that registry only."
    >
      <FeedForm feed={feed} onClose={onClose} />
    </Dialog>
  )
}

const blank = { address: '', repository: '', pattern: 'v*', everyMinutes: '5', maxUnavailable: '1' }

function FeedForm({ feed, onClose }: Omit<FeedDialogProps, 'open'>) {
  const { config, environment } = feed
  const [typed, setTyped] = useState(() =>
    config === null
      ? blank
      : { ...config, everyMinutes: String(config.everyMinutes), maxUnavailable: String(config.maxUnavailable) },
  )
  const [onFailure, setOnFailure] = useState<FeedConfig['onFailure']>(config?.onFailure ?? 'stop')
  const [login, setLogin] = useState({ username: '', password: '' })
  const [problem, setProblem] = useState<ShownProblem | null>(null)
  const [busy, setBusy] = useState(false)
  const pattern = readTagPattern(typed.pattern)
  const mistakes = {
    pattern: 'mistake' in pattern ? pattern.mistake : undefined,
    everyMinutes: readCount(typed.everyMinutes, 1440) === undefined ? '1 to 1440 minutes.' : undefined,
    maxUnavailable: readCount(typed.maxUnavailable, 1000) === undefined ? '1 to 1000 machines.' : undefined,
  }
  const complete =
    typed.address.trim() !== '' &&
    typed.repository.trim() !== '' &&
    Object.values(mistakes).every((mistake) => mistake === undefined) &&
    (login.username.trim() === '') === (login.password === '')
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy || !complete) return
    setBusy(true)
    setProblem(null)
    try {
      const { address, repository } = typed
      await call('registry.set', {
        environment,
        config: {
          ...{ address, repository, pattern: typed.pattern, onFailure, autoDeploy: config?.autoDeploy ?? false },
          everyMinutes: Number(typed.everyMinutes),
          maxUnavailable: Number(typed.maxUnavailable),
        },
      })
      if (login.password !== '') await call('registry.setLogin', { environment, ...login })
      await readFeeds()
      onClose()
    } catch (error) {
      setProblem(problemOf(error))
    } finally {
      setBusy(false)
    }
  }
  const text = (
    key: keyof typeof blank,
    label: string,
    more: { placeholder?: string; hint?: string; error?: string | undefined } = {},
  ) => (
    <Field label={label} hint={more.hint} error={more.error}>
      {(control) => (
        <Input
          {...control}
          value={typed[key]}
          placeholder={more.placeholder}
          data-testid={`feed-${key}`}
          onChange={(event) => setTyped({ ...typed, [key]: event.target.value })}
        />
      )}
    </Field>
  )
  return (
    <form className={formStyles.form} onSubmit={submit} noValidate>
      {text('address', 'Registry', { placeholder: 'https://registry.example' })}
      {text('repository', 'Repository', { placeholder: 'team/app' })}
      {text('pattern', 'Tags that count', { hint: 'v*, release-*, ^2.3, ~2.3.1, >=2 <3', error: mistakes.pattern })}
      <div className={formStyles.pair}>
        {text('everyMinutes', 'Ask every … minutes', { error: mistakes.everyMinutes })}
        {text('maxUnavailable', 'Auto-deploy: machines at once', { error: mistakes.maxUnavailable })}
      </div>
      <Field label="Auto-deploy: when a machine fails">
        {(control) => <Select {...control} value={onFailure} options={failureChoices} onChange={setOnFailure} />}
      </Field>
      <div className={formStyles.pair}>
        {(['username', 'password'] as const).map((key) => (
          <Field key={key} label={key === 'username' ? 'User name' : 'Password or token'}>
            {(control) => (
              <Input
                {...control}
                type={key === 'password' ? 'password' : 'text'}
                value={login[key]}
                data-testid={`feed-${key}`}
                onChange={(event) => setLogin({ ...login, [key]: event.target.value })}
              />
            )}
          </Field>
        ))}
      </div>
      <p className={styles.quiet}>
        {feed.loginSince === null ? (
          'Without a login the registry is asked as anyone may. '
        ) : (
          <>
            A login is in the keychain since <Age at={feed.loginSince} />. Leave both empty to keep it.{' '}
            <button type="button" className={formStyles.inline} onClick={() => void removeLogin(feed)}>
              Forget it
            </button>
          </>
        )}
      </p>
      {problem !== null && <FormProblem problem={problem} />}
      <DialogActions>
        {config !== null && (
          <Button variant="ghost" className={formStyles.first} onClick={() => forget(feed, onClose)}>
            Stop watching…
          </Button>
        )}
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" busy={busy} disabled={!complete} data-testid="feed-submit">
          Save
        </Button>
      </DialogActions>
    </form>
  )
}

const removeLogin = ({ environment }: FeedView) =>
  work(`feed:${environment}`, 'Forgetting the login', async () => {
    await call('registry.removeLogin', { environment })
    await readFeeds()
  })

function forget({ environment }: FeedView, onClose: () => void): void {
  confirm({
    title: `Stop watching for images for ${environment}?`,
    text: 'The registry, its login and the tags found there are forgotten by this console. Nothing changes on any machine.',
    action: 'Stop watching',
    run: () =>
      work(`feed:${environment}`, 'Forgetting the registry', async () => {
        await call('registry.set', { environment, config: null })
        await readFeeds()
        onClose()
      }),
  })
}
