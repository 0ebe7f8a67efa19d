import type { CallResult } from '../../../../shared/contract/index.ts'
import type { MachineView } from '../../../../shared/domain/machine.ts'
import { callAgent } from '../../../app/bridge.ts'
import { confirm } from '../../../app/ui.store.ts'
import { work } from '../../../app/work.ts'
import { formatBytes } from '../capture/capture.ts'

type Context = CallResult<'contexts.list'>['contexts'][number]

/** Why the browser cannot be started with a context now; undefined when it can. */
export function whyNotStart({ browser, lease }: MachineView, { inUse }: Context): string | undefined {
  if (inUse) return 'it runs with it already'
  if (browser?.state === 'starting' || browser?.state === 'stopping') return `the browser is ${browser.state}`
  if (browser?.state === 'install_required') return 'programs are missing; see Diagnostics'
  if (browser?.state === 'active' && lease !== null && !lease.mine) return `${lease.operator} has control`
  return undefined
}

/** One browser runs at a time: the one that does has to end first, and a person says so. */
export function startWith(machine: MachineView, context: Context): void {
  const { browser } = machine
  const run = () =>
    work(`browser:${machine.id}`, `Starting the browser with ${context.name}`, async () => {
      if (browser?.state === 'active') await callAgent(machine.id, 'browser.stop', {})
      await callAgent(machine.id, 'browser.start', {
        contextId: context.id,
        ...(browser?.resolution == null ? {} : browser.resolution),
      })
    })
  if (browser?.state !== 'active') {
    void run()
    return
  }
  confirm({
    title: `Stop the browser and start it with ${context.name}?`,
    text: `The browser on ${machine.name} runs with another context and has to end first: its tabs close, and what was typed but not sent is lost. What its own context keeps stays there.`,
    action: 'Stop and start',
    run,
  })
}

export function deleteContext(machine: MachineView, context: Context, reload: () => Promise<void>): void {
  confirm({
    title: `Delete the context ${context.name} on ${machine.name}?`,
    text: `${formatBytes(context.sizeBytes)} of cookies, logins and page storage are gone for good.`,
    action: 'Delete context',
    typed: context.name,
    run: () =>
      work(`contexts:${machine.id}`, `Deleting ${context.name}`, async () => {
        try {
          await callAgent(machine.id, 'contexts.delete', { id: context.id })
        } finally {
          // It may be in use by now, or gone already: either way what is shown is old.
          await reload()
        }
      }),
  })
}
