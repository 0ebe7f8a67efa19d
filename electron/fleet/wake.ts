import type { Recreated } from '../../shared/domain/power.ts'
import { Problem } from '../../shared/errors.ts'
import type { wakeSteps } from '../../shared/ipc-machine.ts'
import { type Clock, isoTime } from '../clock.ts'
import type { LastSandbox } from '../store/machines.ts'
import { isDead } from './lifecycle-record.ts'
import type { Machine } from './machine.ts'

/** From the provider's "accepted" to its "running". */
const powerLimitMs = 5 * 60_000
/** From there until the agent answers. */
const bootLimitMs = 4 * 60_000

export type WakeStep = (typeof wakeSteps)[number]

export interface WakeOptions {
  /** Aborted when nobody waits for it any more. */
  signal?: AbortSignal
  onStep?: (step: WakeStep) => void
}

const cancelled = (name: string) =>
  new Problem('cancelled', `Nobody waits for ${name} any more. What was switched on stays on.`)

/**
 * A person wakes a machine: switched on where it is off, verified, and its sandbox made anew where that was
 * gone. Fails with what stands in the way, before anything changed where the provider refuses.
 */
export async function wakeMachine(machine: Machine, clock: Clock, options: WakeOptions = {}): Promise<void> {
  const { signal, onStep = () => {} } = options
  const { state, name, agentId, lastSandbox } = machine.record
  if (state === 'running' || state === 'starting') {
    throw new Problem('conflict', `${name} is ${state}: there is nothing to wake.`)
  }
  onStep('switch-on')
  const booting = await switchOn(machine, signal)
  if (signal?.aborted) throw cancelled(name)
  const recreates = isDead(state)
  const answers = machine.connected
  if (state !== 'paused') {
    machine.wake('woken by a person')
    if (recreates && !answers) machine.forgetIdentity()
  }
  // Whoever has a terminal on a machine that only lost its browser keeps it.
  if (!answers) machine.stop()
  machine.expectBoot(booting ? bootLimitMs : 0)
  // The table has no way from paused to starting: it stays paused, and says that it boots, until it answers.
  onStep('verify')
  await machine.verify(signal)
  if (signal?.aborted) throw cancelled(name)
  machine.keep()
  if (machine.record.state !== 'running') return
  const sameAgent = machine.record.agentId === agentId
  if (recreates || state === 'paused') {
    onStep('restore')
    machine.noteRecreated(await restoreSandbox(machine, lastSandbox, { sameAgent, recreates, clock }))
  }
}

/** True when something was switched on, so that the agent needs its time. */
async function switchOn(machine: Machine, cancel: AbortSignal | undefined): Promise<boolean> {
  const signal = cancel === undefined ? machine.signal : AbortSignal.any([machine.signal, cancel])
  const { power, record } = machine
  const truth = await power.observe(0)
  if (truth.kind === 'gone') {
    const detail = `${truth.problem.message} A new instance cannot be made from here: register its successor, then remove ${record.name}.`
    throw new Problem('not-found', detail, truth.problem.extra)
  }
  if (truth.kind === 'off') {
    if (truth.observation.state === 'stopping') await power.settle(['stopped'], powerLimitMs, signal)
    await power.act('start', record.name)
    await power.settle(['running'], powerLimitMs, signal)
    return true
  }
  if (truth.kind === 'on') return truth.observation.state === 'starting'
  if (truth.kind === 'none' && power.provider?.start !== undefined) {
    await power.act('start', record.name)
    return true
  }
  return false
}

interface RestoreOptions {
  sameAgent: boolean
  recreates: boolean
  clock: Clock
}

/** The browser as it was: its context, page and size; what belongs to a disk that is gone is said to be lost. */
async function restoreSandbox(
  machine: Machine,
  last: LastSandbox | null,
  { sameAgent, recreates, clock }: RestoreOptions,
): Promise<Recreated | null> {
  const client = machine.client()
  const at = isoTime(clock)
  const restored: string[] = []
  const notRestored: string[] = []
  if (last !== null) {
    const { state } = await client.call('browser.status', {}, { timeoutMs: 10_000 })
    if (state === 'active' || state === 'starting')
      return recreates ? { at, restored: ['the browser was running already'], notRestored } : null
    try {
      await startAsBefore(machine, last)
      restored.push(`the start page (${last.url ?? 'about:blank'})`)
    } catch (error) {
      notRestored.push(`the browser: ${Problem.from(error).message}`)
    }
    const context = `cookies and storage of the context "${last.contextId ?? 'default'}"`
    if (sameAgent && notRestored.length === 0) restored.push(context)
    else if (!sameAgent) notRestored.push(`${context}: they were on the disk of the machine that is gone`)
    else notRestored.push(context)
    notRestored.push('open tabs beyond the first, and what was typed but not sent')
  }
  const image = await client.call('machine.version', {}, { timeoutMs: 10_000 }).then(
    (found) => found.ghosthandsVersion,
    () => null,
  )
  if (last?.imageTag != null) {
    if (image === last.imageTag && sameAgent) restored.push(`the image ${image} with its env`)
    else notRestored.push(`the image ${last.imageTag}: deploy it again${image === null ? '' : ` (now ${image})`}`)
  }
  return recreates || restored.length > 0 || last !== null ? { at, restored, notRestored } : null
}

async function startAsBefore(machine: Machine, last: LastSandbox): Promise<void> {
  const base = {
    width: last.width,
    height: last.height,
    ...(last.contextId === null ? {} : { contextId: last.contextId }),
  }
  const options = { timeoutMs: 60_000 }
  try {
    await machine.client().call('browser.start', { ...base, ...(last.url === null ? {} : { url: last.url }) }, options)
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'invalid-url') throw error
    await machine.client().call('browser.start', base, options)
  }
}
