import { Dialog } from '../ui/Dialog.tsx'
import { Kbd } from '../ui/Kbd.tsx'
import { actions } from './actions.ts'
import styles from './Palette.module.css'
import { show, useUi } from './ui.store.ts'

/** What each action is called where there is no machine to name. */
const plainTitles: Record<string, string> = {
  'machine.take-over': 'Take over',
  'machine.give-back': 'Give back, also from within the picture',
  'live.leave': 'Take the keyboard back from the picture',
  'live.fill': 'Live view in full screen',
  'machine.verify': 'Health check',
  'browser.start': 'Start browser',
  'browser.stop': 'Stop browser',
  'machine.live': 'Live',
  'machine.overview': 'Overview',
  'machine.workers': 'Workers of the machine',
  'machine.containers': 'Containers of the machine',
  'machine.env': 'Variables of the machine',
  'machine.audit': 'Audit of the machine',
  'machine.connection': 'Connection of the machine',
  'machine.run-task': 'Run a task',
  'machine.compare-env': 'Compare variables',
  'machine.restart-browser': 'Restart the browser',
  'machine.restart-services': 'Restart the services',
  'machine.restart-agent': 'Restart the agent of this computer',
  'machine.rotate-secret': 'Rotate the agent’s secret',
  'machine.terminate': 'Terminate the machine',
  'go.workers': 'Go to Workers',
  'machine.pin': 'Pin or unpin the machine',
  'machine.remove': 'Remove the machine',
  'local.start': 'Try it on this computer',
  'machine.add': 'Add a machine',
  'fleet.search': 'Search the fleet',
  'go.fleet': 'Go to Fleet',
  'go.settings': 'Go to Settings',
  'theme.toggle': 'Dark or light',
  'theme.system': 'The system’s theme',
  'machine.terminal': 'Terminal',
  'terminal.new': 'New terminal',
  'terminal.ssh': 'New terminal over SSH',
  'terminal.split-right': 'Split the terminal to the right',
  'terminal.split-down': 'Split the terminal downwards',
  'terminal.next': 'Next pane of the terminal',
  'terminal.find': 'Find in the terminal',
  'terminal.close': 'Close the terminal',
  'terminal.leave': 'Take the keyboard back from the terminal',
  'machine.logs': 'Logs',
  'go.logs': 'Go to Logs of all machines',
  'logs.search': 'Search the lines of a log',
  'logs.pause': 'Pause the lines of a log, or go on',
  'logs.follow': 'Follow the newest line',
  'logs.wrap': 'Wrap long lines, or not',
  'logs.jump': 'Jump to a time in a log',
  'logs.clear': 'Clear the view of lines',
  'logs.download': 'Download the lines in view',
  palette: 'Search or run a command',
  shortcuts: 'This list',
}

/** Every key there is. */
export function Shortcuts() {
  const open = useUi((state) => state.open === 'shortcuts')
  return (
    <Dialog open={open} onClose={() => show('none')} title="Keys" wide>
      <ul className={styles.shortcuts}>
        {actions.map((action) => (
          <li key={action.id} className={styles.shortcut}>
            {plainTitles[action.id] ?? action.id}
            <Kbd keys={action.keys} />
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
