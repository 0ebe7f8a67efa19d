import type { MachineView } from '../../../shared/domain/machine.ts'
import type { Tone } from '../../ui/tone.ts'
import type { DesktopView } from '../desktop/desktop.store.ts'

export type PanelAction = 'start-browser' | 'verify' | 'start-local' | 'wake' | 'fix-credentials' | 'none'

/** Either there is a picture to be had, or a panel says why not. */
export type LiveCondition =
  | { kind: 'live'; view: 'vnc' | 'screencast'; desktop?: true }
  | {
      kind: 'panel'
      icon: 'gone' | 'off' | 'wait' | 'unknown' | 'broken' | 'install'
      tone: Tone
      title: string
      text: string
      action: PanelAction
      /** The moment the text speaks of. */
      since: string | null
      install: string | null
    }

export type PanelCondition = Extract<LiveCondition, { kind: 'panel' }>

function panel(parts: Omit<PanelCondition, 'kind' | 'install'> & { install?: string | null }): PanelCondition {
  return { kind: 'panel', install: null, ...parts }
}

/** Why nothing can be asked of the machine, whatever one wanted; null when it is there. */
export function machineCondition(machine: MachineView): PanelCondition | null {
  if (machine.state !== 'running') return stateCondition(machine)
  return machine.knownFrom === 'cache' ? rememberedCondition(machine) : null
}

/** What stands where the live view is, from what is known of the machine. */
export function liveCondition(machine: MachineView, desktop: DesktopView | null = null): LiveCondition {
  const gone = machineCondition(machine)
  if (gone !== null) return gone
  const found = desktopCondition(machine, desktop) ?? browserCondition(machine)
  return found.kind === 'panel' ? (silentCondition(machine) ?? found) : found
}

/** It went silent just now and is asked again: what its browser did last is no word about what it does now. */
function silentCondition({ problem, links, lastVerifiedAt }: MachineView): PanelCondition | null {
  const asked = [links.agent, links.tunnel].find(({ state }) => state === 'busy')
  if (problem === null || asked === undefined) return null
  return panel({
    icon: 'wait',
    tone: 'unknown',
    title: 'No answer',
    text: `${problem.detail} It is being asked again: ${asked.detail}.`,
    action: 'verify',
    since: lastVerifiedAt,
  })
}

/** What stands where a page is looked into: a desktop has none. */
export function pageCondition(machine: MachineView, desktop: DesktopView | null): LiveCondition {
  const condition = liveCondition(machine, desktop)
  if (condition.kind !== 'live' || condition.desktop !== true) return condition
  return panel({
    icon: 'off',
    tone: 'off',
    title: 'The machine shows a desktop',
    text: 'A desktop and a browser exclude each other. Stop the desktop on the Live tab, then start the browser.',
    action: 'none',
    since: desktop?.startedAt ?? null,
  })
}

/** A desktop in the browser's place; null where there is none. */
function desktopCondition({ browser }: MachineView, desktop: DesktopView | null): LiveCondition | null {
  switch (desktop?.state) {
    case 'active':
      return { kind: 'live', view: 'vnc', desktop: true }
    case 'starting':
    case 'stopping':
      return underWay('desktop', desktop.state)
    case 'failed':
      // It stays so until the next start: a browser that came after it is what counts.
      if (browser?.state !== 'inactive') return null
      return panel({
        icon: 'unknown',
        tone: 'unknown',
        title: 'The desktop failed',
        text: desktop.lastError?.message ?? 'It ended without saying why.',
        action: 'start-browser',
        since: null,
      })
    default:
      return null
  }
}

function underWay(what: 'browser' | 'desktop', state: string): PanelCondition {
  return panel({
    icon: 'wait',
    tone: state === 'starting' ? 'engine' : 'off',
    title: `The ${what} is ${state}`,
    text: `This takes a few seconds${state === 'starting' ? '; the picture follows by itself' : ''}.`,
    action: 'none',
    since: null,
  })
}

/** It ran when it was last seen, in an earlier run of this console: that is not yet a reason to show it. */
function rememberedCondition(machine: MachineView): PanelCondition {
  return panel({
    icon: 'wait',
    tone: 'unknown',
    title: 'Being verified',
    text: machine.problem?.detail ?? 'It was running when it was last seen. The machine is being asked.',
    action: 'verify',
    since: machine.lastVerifiedAt,
  })
}

function stateCondition(machine: MachineView): PanelCondition {
  const local = machine.tunnel.kind === 'local'
  // Of one that is gone, that it cannot be asked just now says nothing about why it went.
  const aside = machine.state === 'killed' && needsCredentials(machine)
  const why = aside ? undefined : machine.problem?.detail
  const since = machine.stateSince
  const again: PanelAction = local ? 'start-local' : 'wake'
  switch (machine.state) {
    case 'starting':
      return panel({
        icon: 'wait',
        tone: 'engine',
        title: 'Starting',
        text: why ?? `${machine.name} is on its way up; the picture appears here by itself.`,
        action: 'none',
        since,
      })
    case 'paused':
      return panel({
        icon: 'off',
        tone: 'person',
        title: 'Paused',
        text: why ?? 'It was stopped after a while without work.',
        action: again,
        since,
      })
    case 'killed':
      return panel({
        icon: 'gone',
        tone: 'broken',
        title: 'This sandbox is gone',
        text: why ?? 'It was ended from outside.',
        action: again,
        since,
      })
    case 'expired':
      return panel({
        icon: 'gone',
        tone: 'expired',
        title: 'This sandbox has expired',
        text: why ?? 'It reached the end of its lifetime.',
        action: again,
        since,
      })
    case 'terminated':
      return panel({
        icon: 'off',
        tone: 'off',
        title: local ? 'This computer is off' : 'Shut down',
        text: why ?? (local ? 'Its agent is not running.' : 'It was shut down on purpose.'),
        action: again,
        since,
      })
    default:
      return panel({
        icon: 'unknown',
        tone: 'unknown',
        title: 'It cannot be verified just now',
        text: why ?? 'The machine does not answer. It may well be running.',
        action: local && machine.links.agent.state !== 'up' ? 'start-local' : unknownAction(machine),
        since,
      })
  }
}

/** A refused secret is mended by typing it in; anything else by asking again. */
function unknownAction(machine: MachineView): PanelAction {
  return needsCredentials(machine) ? 'fix-credentials' : 'verify'
}

function needsCredentials({ problem }: MachineView): boolean {
  return problem?.code === 'unauthorized' || problem?.code === 'no-keychain'
}

function browserCondition(machine: MachineView): LiveCondition {
  const browser = machine.browser
  const since = machine.lastVerifiedAt
  if (browser === null)
    return panel({
      icon: 'wait',
      tone: 'engine',
      title: 'Asking for the browser',
      text: 'The machine runs; what its browser does is being asked.',
      action: 'verify',
      since: null,
    })
  switch (browser.state) {
    case 'active':
      if (browser.liveView === 'vnc') return { kind: 'live', view: 'vnc' }
      if (browser.liveView === 'screencast') return { kind: 'live', view: 'screencast' }
      return panel({
        icon: 'unknown',
        tone: 'unknown',
        title: 'No picture to show',
        text: 'The browser runs, but this machine offers no way to watch it. The Overview says what is missing.',
        action: 'verify',
        since: browser.startedAt,
      })
    case 'starting':
    case 'stopping':
      return underWay('browser', browser.state)
    case 'install_required':
      return panel({
        icon: 'install',
        tone: 'unknown',
        title: 'A program is missing',
        text: `The browser needs ${browser.missingDependencies.join(', ') || 'something that is not installed'}. Install it on the machine, then start the browser.`,
        action: 'start-browser',
        since: null,
        install: browser.installCommand,
      })
    case 'failed':
      return panel({
        icon: 'broken',
        tone: 'broken',
        title: 'The browser failed',
        text: browser.lastError?.message ?? 'It ended without saying why.',
        action: 'start-browser',
        since: null,
      })
    default:
      return panel({
        icon: 'off',
        tone: 'off',
        title: 'The browser is off',
        text: 'The machine is up; nothing runs on its display.',
        action: 'start-browser',
        since,
      })
  }
}
