import type { MachineView } from '../../../shared/domain/machine.ts'
import { call, callAgent } from '../../app/bridge.ts'
import { go } from '../../app/route.ts'
import { confirm, useUi } from '../../app/ui.store.ts'
import { work } from '../../app/work.ts'
import { toast } from '../../ui/Toast.tsx'

/** What a person can do to a machine from menus, keys and the palette. The screen follows main's events. */

export function verify(machine: MachineView): Promise<boolean> {
  return work(`verify:${machine.id}`, 'The health check', async () => {
    const found = await call('fleet.verify', { machineId: machine.id })
    toast({
      title: `${found.name} is ${found.state}`,
      detail: found.problem?.detail ?? 'Verified just now.',
      kind: found.problem === null ? 'plain' : 'problem',
      id: `verified:${machine.id}`,
    })
  })
}

export function takeOver(machine: MachineView): Promise<boolean> {
  go({ screen: 'machine', machineId: machine.id, tab: 'live' })
  const { lease } = machine
  if (lease !== null && !lease.mine) {
    sayWhoHasIt(machine.name, lease)
    return Promise.resolve(false)
  }
  return work(`take:${machine.id}`, 'Taking over', async () => {
    await call('takeover.take', { machineId: machine.id, reason: '' })
  })
}

/** One lease at a time: what is left is to ask whoever has it, or to wait until it ends. */
function sayWhoHasIt(name: string, { operator, reason }: NonNullable<MachineView['lease']>): void {
  const why = reason === '' ? '' : `Their reason: ${reason}. `
  toast({
    title: `${operator} has control of ${name}`,
    detail: `${why}Ask them to give it back. It ends by itself when they stop working in it; until then you can watch.`,
    kind: 'person',
    forMs: 12_000,
    id: `held:${name}`,
  })
}

/** Opens the form that ends a takeover. */
export function openGiveBack(machine: MachineView): void {
  go({ screen: 'machine', machineId: machine.id, tab: 'live' })
  useUi.setState({ givingBack: machine.id })
}

export function startBrowser(machine: MachineView): Promise<boolean> {
  return work(`browser:${machine.id}`, 'Starting the browser', async () => {
    await callAgent(machine.id, 'browser.start', {})
  })
}

export function stopBrowser(machine: MachineView): void {
  confirm({
    title: `Stop the browser on ${machine.name}?`,
    text: 'Its windows close and whoever works in it loses the page. The machine stays up.',
    action: 'Stop browser',
    run: () =>
      work(`browser:${machine.id}`, 'Stopping the browser', async () => {
        await callAgent(machine.id, 'browser.stop', {})
      }),
  })
}

export function removeMachine(machine: MachineView): void {
  confirm({
    title: `Remove ${machine.name}?`,
    text: 'This console forgets the machine and its secret. The machine itself goes on as it is.',
    action: 'Remove machine',
    typed: machine.name,
    run: () =>
      work(`remove:${machine.id}`, 'Removing the machine', async () => {
        await call('fleet.remove', { machineId: machine.id })
        go({ screen: 'fleet' })
      }),
  })
}

/** The browser ends and comes back with its context, page and size. */
export function restartBrowser(machine: MachineView): void {
  const before = machine.browser
  confirm({
    title: `Restart the browser on ${machine.name}?`,
    text: 'It comes back on the same page with its cookies. Further tabs, and what was typed but not sent, are lost.',
    action: 'Restart browser',
    run: () =>
      work(`browser:${machine.id}`, 'Restarting the browser', async () => {
        await callAgent(machine.id, 'browser.stop', {})
        await callAgent(machine.id, 'browser.start', {
          ...(before?.url == null ? {} : { url: before.url }),
          ...(before?.resolution == null
            ? {}
            : { width: before.resolution.width, height: before.resolution.height, dpi: before.resolution.dpi }),
          ...(before?.contextId == null ? {} : { contextId: before.contextId }),
        })
      }),
  })
}

/** Every service of the machine, workers after they have drained. */
export function restartServices(machine: MachineView): void {
  confirm({
    title: `Restart the services on ${machine.name}?`,
    text: 'The API and every worker restart with the variables that are in the env file now. Workers drain first.',
    action: 'Restart services',
    run: () =>
      work(`services:${machine.id}`, 'Restarting the services', async () => {
        const { restarted } = await callAgent(machine.id, 'env.set', { vars: {}, restart: true })
        const detail = restarted.length === 0 ? 'Nothing was running.' : `Restarted: ${restarted.join(', ')}.`
        toast({ title: `The services of ${machine.name} restarted`, detail, id: `services:${machine.id}` })
      }),
  })
}

/** Only the agent that this console started itself can be restarted by it. */
export function restartAgent(machine: MachineView): void {
  confirm({
    title: 'Restart the agent of this computer?',
    text: 'Its browser and everything that runs in it ends, and both start again.',
    action: 'Restart agent',
    run: () =>
      work(`agent:${machine.id}`, 'Restarting the agent', async () => {
        await call('power.terminate', { machineId: machine.id })
        await call('fleet.wake', { machineId: machine.id })
      }),
  })
}

/** Ends the sandbox for good; for an EC2 instance that is the instance itself. */
export function terminate(machine: MachineView): void {
  const ec2 = machine.provider?.kind === 'ec2' ? machine.provider.instanceId : null
  const text =
    ec2 !== null
      ? `EC2 terminates ${ec2} with its disks: browser contexts, recordings and logs on it are gone, and it cannot be started again.`
      : machine.tunnel.kind === 'local'
        ? 'Its agent ends, and its browser with it. Wake starts both again.'
        : 'Its browser ends with what is open in it, and this console lets go of it until someone presses Wake. The machine itself stays on.'
  confirm({
    title: `Terminate ${machine.name}?`,
    text,
    action: 'Terminate',
    typed: machine.name,
    run: () =>
      work(`terminate:${machine.id}`, `Terminating ${machine.name}`, async () => {
        await call('power.terminate', { machineId: machine.id })
      }),
  })
}
