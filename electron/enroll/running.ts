import { withStep } from '../../shared/domain/enroll-steps.ts'
import { Problem } from '../../shared/errors.ts'
import type { RunningEnrollment } from '../../shared/ipc-power.ts'
import type { SshTunnel } from './enrollments.ts'
import type { EnrollStep } from './steps.ts'

interface Running {
  view: RunningEnrollment
  abort: AbortController
  ssh: SshTunnel
  /** One that goes on with an earlier one is written down under that one's id. */
  writtenAs: string
}

/** The enrolments that are under way, with how far each has come: for windows that were not there when it began. */
export class RunningEnrollments {
  readonly #running = new Map<string, Running>()
  readonly #onChanged: (running: RunningEnrollment[]) => void

  constructor(onChanged: (running: RunningEnrollment[]) => void) {
    this.#onChanged = onChanged
  }

  begin(enrollId: string, name: string, ssh: SshTunnel): AbortSignal {
    if (this.#running.has(enrollId)) throw new Problem('conflict', 'This enrolment is running already.')
    const twin = [...this.#running.values()].find((one) => isSamePlace(one.ssh, ssh))
    if (twin !== undefined) {
      throw new Problem('conflict', `${twin.view.name} is being installed on ${ssh.host} just now. Wait for its end.`)
    }
    const abort = new AbortController()
    const view = { enrollId, name, host: ssh.host, stopping: false, steps: [] }
    this.#running.set(enrollId, { view, abort, ssh, writtenAs: enrollId })
    this.#changed()
    return abort.signal
  }

  told(step: EnrollStep): void {
    this.#change(step.enrollId, ({ steps }) => ({ steps: withStep(steps, step) }))
  }

  goesOnAs(enrollId: string, writtenAs: string): void {
    const one = this.#running.get(enrollId)
    if (one !== undefined) one.writtenAs = writtenAs
  }

  cancel(enrollId: string): void {
    this.#running.get(enrollId)?.abort.abort()
    this.#change(enrollId, () => ({ stopping: true }))
  }

  ended(enrollId: string): void {
    this.#running.delete(enrollId)
    this.#changed()
  }

  list(): RunningEnrollment[] {
    return [...this.#running.values()].map(({ view }) => view)
  }

  isWrittenAs(id: string): boolean {
    return [...this.#running.values()].some(({ writtenAs }) => writtenAs === id)
  }

  #change(enrollId: string, changed: (view: RunningEnrollment) => Partial<RunningEnrollment>): void {
    const one = this.#running.get(enrollId)
    if (one === undefined) return
    one.view = { ...one.view, ...changed(one.view) }
    this.#changed()
  }

  #changed(): void {
    this.#onChanged(this.list())
  }
}

const isSamePlace = (a: SshTunnel, b: SshTunnel) => a.host === b.host && a.port === b.port && a.user === b.user
