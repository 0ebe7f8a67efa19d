import { Check, CircleDashed, Minus, Play, X } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'
import type { JobView } from '../../../shared/contract/jobs.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { platforms } from '../../../shared/domain/platforms.ts'
import { callAgent, onIpcEvent, problemOf } from '../../app/bridge.ts'
import { Age } from '../../ui/Age.tsx'
import { Button } from '../../ui/Button.tsx'
import { ErrorText, type ShownProblem } from '../../ui/ErrorText.tsx'
import { Field, Input, TextArea } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { whyNot } from '../machine/reach.ts'
import { readFields } from './fields.ts'
import styles from './Task.module.css'

const platformNames: Record<string, string> = {
  found: 'Found out from the page',
  ...Object.fromEntries(platforms.filter((name) => name !== 'unknown').map((name) => [name, name])),
}

/** A job application in the machine's browser, step by step. It goes on when this is closed. */
export function RunJob({ machine }: { machine: MachineView }) {
  const [job, setJob] = useState<JobView | null>(null)
  const [again, setAgain] = useState(false)
  const machineId = machine.id
  useEffect(() => {
    let over = false
    callAgent(machineId, 'jobs.list', { limit: 1 }).then(
      ({ jobs }) => {
        const [last] = jobs
        if (!over && last !== undefined) setJob((now) => now ?? last)
      },
      () => {},
    )
    return () => {
      over = true
    }
  }, [machineId])
  const id = job?.id
  useEffect(
    () =>
      onIpcEvent('agent.event', ({ machineId: from, event }) => {
        if (from !== machineId || id === undefined || event['jobId'] !== id) return
        callAgent(machineId, 'jobs.get', { id }).then(setJob, () => {})
      }),
    [machineId, id],
  )
  if (job !== null && (job.state === 'running' || !again))
    return <JobProgress job={job} onAgain={() => setAgain(true)} />
  return (
    <JobForm
      machine={machine}
      onStarted={(started) => {
        setAgain(false)
        setJob(started)
      }}
    />
  )
}

function JobForm({ machine, onStarted }: { machine: MachineView; onStarted: (job: JobView) => void }) {
  const [url, setUrl] = useState('')
  const [fields, setFields] = useState('')
  const [resume, setResume] = useState('')
  const [expected, setExpected] = useState('')
  const [platform, setPlatform] = useState('found')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<ShownProblem | null>(null)
  const read = readFields(fields)
  const why = whyNot(machine)
  const ready = url.trim() !== '' && read.wrong === undefined && why === undefined
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!ready || busy) return
    setBusy(true)
    setProblem(null)
    try {
      const started = await callAgent(machine.id, 'jobs.start', {
        url: url.trim(),
        fields: read.fields,
        ...(resume.trim() === '' ? {} : { resume: resume.trim() }),
        ...(expected.trim() === '' ? {} : { expect: expected.trim() }),
        ...(platform === 'found' ? {} : { platform: platform as JobView['platform'] & 'lever' }),
      })
      onStarted(started)
    } catch (error) {
      setProblem(problemOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <Field label="Address of the form">
        {(control) => (
          <Input
            {...control}
            value={url}
            placeholder="https://"
            data-testid="job-url"
            onChange={(event) => setUrl(event.target.value)}
          />
        )}
      </Field>
      <Field
        label="What to fill in"
        hint="A line each: label, colon, value. They are not written into the audit."
        error={read.wrong === undefined ? undefined : `"${read.wrong.slice(0, 60)}" has no colon.`}
      >
        {(control) => (
          <TextArea
            {...control}
            rows={4}
            value={fields}
            placeholder={'First name: Ada\nEmail: ada@example.org'}
            data-testid="job-fields"
            onChange={(event) => setFields(event.target.value)}
          />
        )}
      </Field>
      <div className={styles.three}>
        <Field label="Résumé" hint="A file in its upload folder.">
          {(control) => <Input {...control} value={resume} onChange={(event) => setResume(event.target.value)} />}
        </Field>
        <Field label="It arrived when the page says">
          {(control) => <Input {...control} value={expected} onChange={(event) => setExpected(event.target.value)} />}
        </Field>
        <Field label="Platform">
          {(control) => <Select {...control} value={platform} options={platformNames} onChange={setPlatform} />}
        </Field>
      </div>
      {problem !== null && <ErrorText problem={problem} />}
      <div className={styles.actions}>
        <Button
          type="submit"
          variant="primary"
          icon={<Play size={15} aria-hidden />}
          busy={busy}
          disabled={!ready}
          title={why}
          data-testid="job-start"
        >
          Start the job
        </Button>
      </div>
    </form>
  )
}

const stepIcons: Record<string, typeof Check> = { done: Check, failed: X, skipped: Minus }

function JobProgress({ job, onAgain }: { job: JobView; onAgain: () => void }) {
  return (
    <div className={styles.form} data-testid="job-progress" data-state={job.state}>
      <p className={styles.verdict} data-well={job.state === 'running' ? undefined : job.state === 'succeeded'}>
        {job.url} · {job.state}, begun <Age at={job.startedAt} />
      </p>
      <ol className={styles.steps}>
        {job.steps.map((step) => {
          const Icon = stepIcons[step.state] ?? CircleDashed
          return (
            <li key={step.step} data-state={step.state}>
              <Icon size={14} aria-hidden />
              <strong>{step.step}</strong>
              <span>
                {step.state}
                {step.detail !== '' && ` · ${step.detail}`}
              </span>
              <small>{step.durationMs === null ? '' : `${(step.durationMs / 1000).toFixed(1)} s`}</small>
            </li>
          )
        })}
      </ol>
      {job.error !== null && <ErrorText problem={{ title: 'The job failed', detail: job.error, code: 'job-failed' }} />}
      <div className={styles.actions}>
        <Button disabled={job.state === 'running'} data-testid="job-again" onClick={onAgain}>
          New job
        </Button>
      </div>
    </div>
  )
}
