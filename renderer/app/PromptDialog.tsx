import { type FormEvent, useState } from 'react'
import type { Prompt } from '../../shared/ipc.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog, DialogActions } from '../ui/Dialog.tsx'
import { ErrorText, type ShownProblem } from '../ui/ErrorText.tsx'
import { Field, Input } from '../ui/Field.tsx'
import { problemOf } from './bridge.ts'
import styles from './Prompt.module.css'
import { type Answer, answerPrompt, usePrompts } from './prompts.store.ts'

/** A question on the way to a machine that only a person can answer. One at a time. */
export function PromptDialog() {
  const prompt = usePrompts((state) => state.open[0])
  if (prompt === undefined) return null
  return <OnePrompt key={prompt.id} prompt={prompt} />
}

function OnePrompt({ prompt }: { prompt: Prompt }) {
  const [problem, setProblem] = useState<ShownProblem | null>(null)
  const [busy, setBusy] = useState(false)
  const answer = async (given: Answer) => {
    if (busy) return
    setBusy(true)
    setProblem(null)
    try {
      await answerPrompt(prompt.id, given)
    } catch (error) {
      setProblem(problemOf(error))
      setBusy(false)
    }
  }
  return (
    <Dialog
      open
      onClose={() => void answer({ action: 'cancel' })}
      title={prompt.title}
      description={prompt.note ?? undefined}
    >
      <div className={styles.prompt} data-testid="prompt" data-kind={prompt.kind}>
        {prompt.kind === 'host-key' ? (
          <HostKey prompt={prompt} busy={busy} answer={answer} />
        ) : (
          <Questions prompt={prompt} busy={busy} answer={answer} />
        )}
        {problem !== null && <ErrorText problem={problem} />}
      </div>
    </Dialog>
  )
}

interface PartProps<Kind extends Prompt['kind']> {
  prompt: Extract<Prompt, { kind: Kind }>
  busy: boolean
  answer: (given: Answer) => Promise<void>
}

function HostKey({ prompt, busy, answer }: PartProps<'host-key'>) {
  return (
    <>
      <p>This host was not seen before. Compare its fingerprint with one you got from someone you trust.</p>
      <dl className={styles.facts}>
        <dt>Host</dt>
        <dd>{prompt.host}</dd>
        <dt>Key</dt>
        <dd>{prompt.keyType}</dd>
        <dt>Fingerprint</dt>
        <dd data-testid="fingerprint">
          <code>{prompt.fingerprint}</code>
        </dd>
      </dl>
      <DialogActions>
        {/* The first button has the focus: a hasty Enter trusts nobody. */}
        <Button onClick={() => void answer({ action: 'cancel' })}>Do not connect</Button>
        <Button
          variant="primary"
          busy={busy}
          onClick={() => void answer({ action: 'accept' })}
          data-testid="prompt-accept"
        >
          It is this one: connect
        </Button>
      </DialogActions>
    </>
  )
}

function Questions({ prompt, busy, answer }: PartProps<'passphrase' | 'keyboard-interactive'>) {
  const [typed, setTyped] = useState<string[]>(() => prompt.questions.map(() => ''))
  const [remember, setRemember] = useState(false)
  const canRemember = prompt.kind === 'passphrase' && prompt.canRemember
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const given = typed
    // Gone from this window as soon as it is sent.
    setTyped(typed.map(() => ''))
    await answer({ action: 'answer', answers: given, remember })
  }
  return (
    <form className={styles.prompt} onSubmit={submit}>
      {prompt.kind === 'passphrase' && <p className={styles.file}>{prompt.keyFile}</p>}
      {prompt.questions.map(({ text, echo }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the questions of one prompt never change
        <Field key={place} label={text}>
          {(control) => (
            <Input
              {...control}
              type={echo ? 'text' : 'password'}
              autoFocus={place === 0}
              value={typed[place] ?? ''}
              data-testid={`prompt-answer-${place}`}
              onChange={(event) => setTyped(typed.map((one, at) => (at === place ? event.target.value : one)))}
            />
          )}
        </Field>
      ))}
      {canRemember && (
        <label className={styles.remember}>
          <input
            type="checkbox"
            checked={remember}
            data-testid="prompt-remember"
            onChange={(event) => setRemember(event.target.checked)}
          />
          Keep it in this computer’s keychain
        </label>
      )}
      <DialogActions>
        <Button onClick={() => void answer({ action: 'cancel' })}>Cancel</Button>
        <Button type="submit" variant="primary" busy={busy} data-testid="prompt-submit">
          Continue
        </Button>
      </DialogActions>
    </form>
  )
}
