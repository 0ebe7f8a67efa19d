import { type FormEvent, useMemo, useState } from 'react'
import { inBatches } from '../../../shared/domain/rollout-states.ts'
import { tagShape } from '../../../shared/domain/tag-pattern.ts'
import { call, problemOf } from '../../app/bridge.ts'
import { go } from '../../app/route.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { FormProblem, type ShownProblem } from '../../ui/ErrorText.tsx'
import { Field, Input } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { useFleet } from '../fleet/fleet.store.ts'
import styles from './Deploys.module.css'
import { useDeploys } from './deploys.store.ts'
import { tagText } from './look.ts'
import { MachineChoice } from './MachineChoice.tsx'
import formStyles from './NewDeploy.module.css'
import { closeNewDeploy, useNewDeploy } from './new-deploy.store.ts'
import { failureChoices, readCount } from './options.ts'
import { PlanPreview } from './PlanPreview.tsx'

/** The form for a new deploy: what, where, how carefully, and what that would meet. */
export function NewDeploy() {
  const { machineIds, tag } = useNewDeploy()
  return (
    <Dialog
      open={machineIds !== null}
      onClose={closeNewDeploy}
      wide
      title="New deploy"
      description="Batch after batch: each machine is drained, gets the new image and proves itself healthy; otherwise it goes back to what it had."
    >
      {machineIds !== null && (
        <NewDeployForm key={`${machineIds.join()} ${tag}`} startWith={machineIds} startTag={tag} />
      )}
    </Dialog>
  )
}

function NewDeployForm({ startWith, startTag }: { startWith: readonly string[]; startTag: string }) {
  const machines = useFleet((state) => state.machines)
  const [tag, setTag] = useState(startTag)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(startWith))
  const [atOnce, setAtOnce] = useState('1')
  const [onFailure, setOnFailure] = useState<keyof typeof failureChoices>('stop')
  const [force, setForce] = useState(false)
  const [problem, setProblem] = useState<ShownProblem | null>(null)
  const [busy, setBusy] = useState(false)
  const all = useMemo(() => Object.values(machines), [machines])
  const ids = useMemo(() => all.filter(({ id }) => chosen.has(id)).map(({ id }) => id), [all, chosen])
  const maxUnavailable = readCount(atOnce, 1000)
  const badTag = tag.trim() !== '' && !tagShape.test(tag.trim())
  const ready = tag.trim() !== '' && !badTag && ids.length > 0 && maxUnavailable !== undefined
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!ready || busy) return
    setBusy(true)
    setProblem(null)
    try {
      await call('deploys.start', { machineIds: ids, tag: tag.trim(), maxUnavailable, onFailure, force })
      closeNewDeploy()
      go({ screen: 'deploys' })
    } catch (error) {
      setProblem(problemOf(error))
    } finally {
      setBusy(false)
    }
  }
  const batches = maxUnavailable === undefined ? 0 : inBatches(ids, maxUnavailable).length
  const word = ids.length === 1 ? '1 machine' : `${ids.length} machines`
  return (
    <form className={formStyles.form} onSubmit={submit} noValidate>
      <TagField tag={tag} onChange={setTag} bad={badTag} />
      <MachineChoice machines={all} chosen={chosen} onChange={setChosen} />
      <div className={formStyles.triple}>
        <Field label="Machines at once" error={maxUnavailable === undefined ? '1 to 1000.' : undefined}>
          {(control) => (
            <Input
              {...control}
              inputMode="numeric"
              value={atOnce}
              data-testid="at-once"
              onChange={(event) => setAtOnce(event.target.value)}
            />
          )}
        </Field>
        <Field label="When a machine fails">
          {(control) => <Select {...control} value={onFailure} options={failureChoices} onChange={setOnFailure} />}
        </Field>
      </div>
      <label className={formStyles.check}>
        <input
          type="checkbox"
          checked={force}
          data-testid="force"
          onChange={(event) => setForce(event.target.checked)}
        />
        <span>
          Force
          <small className={styles.quiet}>
            {' '}
            Workers that have not finished in time are stopped, and the jobs they are busy with are lost.
          </small>
        </span>
      </label>
      {maxUnavailable !== undefined && (
        <PlanPreview machineIds={ids} maxUnavailable={maxUnavailable} tag={tag.trim()} />
      )}
      {problem !== null && <FormProblem problem={problem} />}
      <div className={formStyles.footer}>
        <DialogActions>
          <span className={formStyles.summary}>
            {ids.length > 0 && `${word}, ${batches} batch${batches === 1 ? '' : 'es'}`}
          </span>
          <Button onClick={closeNewDeploy}>Cancel</Button>
          <Button
            type="submit"
            variant={force ? 'danger' : 'primary'}
            busy={busy}
            disabled={!ready}
            data-testid="deploy-submit"
          >
            Deploy {tag.trim() === '' ? '' : tagText(tag.trim())} to {word}
          </Button>
        </DialogActions>
      </div>
    </form>
  )
}

function TagField({ tag, onChange, bad }: { tag: string; onChange: (tag: string) => void; bad: boolean }) {
  const feeds = useDeploys((state) => state.feeds)
  const offered = [
    ...new Map((feeds ?? []).flatMap(({ pending }) => pending).map((one) => [one.deployAs, one])).values(),
  ]
  return (
    <div>
      <Field
        label="Image tag"
        error={bad ? 'A tag has letters, digits, dot, dash and underscore; a digest begins with sha256:.' : undefined}
      >
        {(control) => (
          <Input
            {...control}
            value={tag}
            placeholder="v2.3.1, or sha256:…"
            className={styles.mono}
            data-testid="deploy-tag"
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </Field>
      {offered.length > 0 && (
        <div className={formStyles.offered}>
          <span className={styles.quiet}>New:</span>
          {offered.slice(0, 6).map((one) => (
            <button
              key={one.deployAs}
              type="button"
              className={formStyles.chip}
              aria-pressed={tag === one.deployAs}
              onClick={() => onChange(one.deployAs)}
            >
              {one.tag}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}
