import type { Locator } from 'playwright'
import { type EngineRig, startEngineRig } from '../../agent/engines/engine-rig.ts'
import { type AddedMachine, addMachine, invoke } from './added-machine.ts'
import { startTestAgent, type TestAgent } from './agent.ts'
import { startConsole, type TestConsole } from './electron.ts'
import { action, find, steps } from './llm.ts'

/** A console with two machines, and Live of the first open: `jobs-1` has engines, `jobs-2` only a browser. */
export interface EngineConsole {
  console: TestConsole
  rig: EngineRig
  machine: AddedMachine
  other: TestAgent
  second: AddedMachine
  at(testId: string): Locator
  lease(state: string): Locator
  driver(engine: string): Locator
  openLiveOf(machineId: string): Promise<void>
  openLive(): Promise<void>
  stop(): Promise<void>
}

/** For what may take a model, or a browser's start. */
export const patient = { timeoutMs: 120_000 }

/** The engines find a button, unless they are asked for one that nobody finds. */
export async function startEngineConsole(): Promise<EngineConsole> {
  const rig = await startEngineRig((asked) =>
    asked.kind === 'magnitude'
      ? steps()
      : asked.text.includes('nobody finds')
        ? { status: 500 }
        : action(find(asked, /button/), 'click'),
  )
  const console = await startConsole()
  const machine = await addMachine(console, rig.agent, 'jobs-1')
  const other = await startTestAgent()
  await other.client.call('browser.start', { headless: true, url: 'data:text/html,<title>Other</title>' }, patient)
  const second = await addMachine(console, other, 'jobs-2')
  await invoke(console, 'settings.set', { operator: 'Ada' })
  const at = (testId: string) => console.window.getByTestId(testId)
  const openLiveOf = (machineId: string) =>
    console.window.evaluate((id) => {
      window.location.hash = `#/machine/${id}/live`
    }, machineId)
  const openLive = () => openLiveOf(machine.id)
  await openLive()
  await at('engine-card').waitFor()
  return {
    ...{ console, rig, machine, other, second, at, openLiveOf, openLive },
    lease: (state) => console.window.locator(`[data-testid=lease-bar][data-lease=${state}]`),
    driver: (engine) => console.window.locator(`[data-testid=engine-driver][data-engine=${engine}]`),
    async stop() {
      await console.stop()
      await machine.stop()
      await second.stop()
      await other.stop()
      await rig.stop()
    },
  }
}
