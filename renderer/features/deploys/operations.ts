import type { MachineView } from '../../../shared/domain/machine.ts'
import type { Leg, Rollout } from '../../../shared/domain/rollout.ts'
import type { FeedView, PendingTag } from '../../../shared/ipc-deploys.ts'
import { call } from '../../app/bridge.ts'
import { go } from '../../app/route.ts'
import { confirm } from '../../app/ui.store.ts'
import { work } from '../../app/work.ts'
import { legLook, revertible, shortDigest, tagText } from './look.ts'
import { useNewDeploy } from './new-deploy.store.ts'

/** What a person can do about deploys. The screen follows main's events. */

/** Opens the form for a new deploy, with these machines chosen. */
export function openNewDeploy(machineIds: readonly string[], tag = ''): void {
  useNewDeploy.setState({ machineIds: [...machineIds], tag })
}

export const rolloutKey = (rolloutId: number) => `rollout:${rolloutId}`

const act = (rollout: Rollout, what: string, task: () => Promise<unknown>) =>
  work(rolloutKey(rollout.id), what, async () => void (await task()))

export const pauseRollout = (rollout: Rollout) =>
  act(rollout, 'Pausing', () => call('deploys.pause', { rolloutId: rollout.id }))

export const resumeRollout = (rollout: Rollout) =>
  act(rollout, 'Going on', () => call('deploys.resume', { rolloutId: rollout.id }))

export function cancelRollout(rollout: Rollout): void {
  confirm({
    title: `Cancel the deploy of ${tagText(rollout.tag)}?`,
    text: cancelText(rollout),
    action: 'Cancel the deploy',
    run: () => act(rollout, 'Cancelling', () => call('deploys.cancel', { rolloutId: rollout.id })),
  })
}

/** What becomes of each machine of a deploy that is cancelled now. */
export function cancelText({ tag, legs }: Pick<Rollout, 'tag' | 'legs'>): string {
  const say = (states: readonly Leg['state'][], one: string, several: string) => {
    const names = legs.filter(({ state }) => states.includes(state)).map(({ name }) => name)
    return names.length === 0 ? [] : [`${list(names)} ${names.length === 1 ? one : several}`]
  }
  const stays = `${tagText(tag)}: roll back afterwards if you do not want that.`
  return [
    ...say(
      ['deploying'],
      'stops where it is safe and goes back to what ran before.',
      'stop where it is safe and go back to what ran before.',
    ),
    ...say(['waiting', 'checking'], 'is not begun.', 'are not begun.'),
    ...say(['proving', 'completed'], `keeps ${stays}`, `keep ${stays}`),
  ].join(' ')
}

export function retryRollout(rollout: Rollout, legs: readonly Leg[], force = false): void {
  const machineIds = legs.map(({ machineId }) => machineId)
  const run = () =>
    act(rollout, 'Trying again', () => call('deploys.retry', { rolloutId: rollout.id, machineIds, force }))
  if (!force) {
    void run()
    return
  }
  confirm({
    title: `Force ${tagText(rollout.tag)} onto ${list(legs.map(({ name }) => name))}?`,
    text: 'Workers that have not finished in time are stopped, and the jobs they are busy with are lost.',
    action: 'Stop workers and deploy',
    run,
  })
}

export function rollBackRollout(rollout: Rollout, only?: Leg): void {
  const legs = only === undefined ? revertible(rollout) : [only]
  const back = legs.map((leg) => {
    const digest = leg.previousDigest === null ? '' : ` (${shortDigest(leg.previousDigest)})`
    return `${leg.name} to ${leg.previousTag === null ? 'what ran before' : tagText(leg.previousTag)}${digest}`
  })
  confirm({
    title: `Roll back ${tagText(rollout.tag)} on ${legs.length === 1 ? legs[0]?.name : `${legs.length} machines`}?`,
    text: `${list(back)}, ${legs.length === 1 ? '' : 'the last one first, '}by the same steps: drained, replaced, proved healthy.`,
    action: 'Roll back',
    run: () =>
      act(rollout, 'Rolling back', async () => {
        await call('deploys.rollBack', {
          rolloutId: rollout.id,
          ...(only === undefined ? {} : { machineIds: [only.machineId] }),
        })
        go({ screen: 'deploys' })
      }),
  })
}

export function rollBackMachine(machine: MachineView, to?: { tag: string | null; digest: string | null }): void {
  const where = to?.tag == null ? 'the image it had before' : tagText(to.tag)
  const digest = to?.digest == null ? '' : ` (${shortDigest(to.digest)})`
  confirm({
    title: `Roll back ${machine.name}?`,
    text: `It goes back to ${where}${digest}: its workers are drained, its containers replaced and proved healthy.`,
    action: 'Roll back',
    run: () =>
      work(`rollback:${machine.id}`, 'Rolling back', async () => {
        await call('deploys.rollBackMachine', { machineId: machine.id, force: false })
      }),
  })
}

export const lookAtFeed = (feed: FeedView) =>
  work(`feed:${feed.environment}`, 'Looking for new images', async () => {
    await call('registry.look', { environment: feed.environment })
  })

export const dismissTag = (feed: FeedView, { tag, digest }: PendingTag) =>
  work(`feed:${feed.environment}`, 'Putting the tag away', async () => {
    await call('registry.dismiss', { environment: feed.environment, tag, digest })
  })

export function setAutoDeploy(feed: FeedView, on: boolean): void {
  const { config, environment } = feed
  if (config === null) return
  const save = () =>
    work(`feed:${environment}`, 'Changing auto-deploy', async () => {
      await call('registry.set', { environment, config: { ...config, autoDeploy: on } })
    })
  if (!on) {
    void save()
    return
  }
  confirm({
    title: `Deploy new tags to ${environment} by itself?`,
    text: `Every new tag that fits ${config.pattern} goes to all ${feed.machines} machines of ${environment}, ${config.maxUnavailable} at once, while this console runs. Tags that are there already are not touched.`,
    action: 'Switch it on',
    run: save,
  })
}

/** `a, b and 3 more`: a sentence must stay readable with a thousand machines. */
export function list(names: readonly string[], shown = 6): string {
  if (names.length > shown) return `${names.slice(0, shown).join(', ')} and ${names.length - shown} more`
  if (names.length < 2) return names.join('')
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

export const legWord = (leg: Leg) => legLook(leg.state).word
