import { tryLocal } from '../features/firstrun/local.store.ts'
import type { ConsoleAction } from './action-kit.ts'
import { saveSettings } from './app.store.ts'
import { go } from './route.ts'
import { show, useUi } from './ui.store.ts'
import { work } from './work.ts'

/** What can be done from anywhere. */
export const windowActions: readonly ConsoleAction[] = [
  {
    id: 'local.start',
    title: () => 'Try it on this computer',
    group: 'Fleet',
    keys: 'shift+l',
    when: ({ local }) => local === null || !['running', 'starting'].includes(local.state),
    run: () => void tryLocal(),
  },
  {
    id: 'go.fleet',
    title: () => 'Go to Fleet',
    group: 'Go',
    keys: 'g f',
    when: () => true,
    run: () => go({ screen: 'fleet' }),
  },
  {
    id: 'machine.enroll',
    title: () => 'Install the agent over SSH…',
    group: 'Fleet',
    keys: 'shift+i',
    when: () => true,
    run: () => show('enroll'),
  },
  {
    id: 'machine.discover',
    title: () => 'Find machines in EC2…',
    group: 'Fleet',
    keys: 'shift+f',
    when: () => true,
    run: () => show('discover'),
  },
  {
    id: 'go.audit',
    title: () => 'Go to Audit',
    group: 'Go',
    keys: 'g a',
    when: () => true,
    run: () => go({ screen: 'audit' }),
  },
  {
    id: 'go.diagnostics',
    title: () => 'Go to Diagnostics',
    group: 'Go',
    keys: 'g d',
    when: () => true,
    run: () => go({ screen: 'diagnostics' }),
  },
  {
    id: 'go.settings',
    title: () => 'Go to Settings',
    group: 'Go',
    keys: 'mod+,',
    when: () => true,
    run: () => go({ screen: 'settings' }),
  },
  {
    id: 'theme.toggle',
    title: ({ dark }) => (dark ? 'Use the light theme' : 'Use the dark theme'),
    group: 'Window',
    keys: 'shift+d',
    when: () => true,
    run: ({ dark }) => void work('theme', 'Changing the theme', () => saveSettings({ theme: dark ? 'light' : 'dark' })),
  },
  {
    id: 'theme.system',
    title: () => 'Use the system’s theme',
    group: 'Window',
    keys: 'shift+s',
    when: ({ theme }) => theme !== 'system',
    run: () => void work('theme', 'Changing the theme', () => saveSettings({ theme: 'system' })),
  },
  {
    id: 'palette',
    title: () => 'Search or run a command',
    group: 'Window',
    keys: 'mod+k',
    when: () => true,
    run: () => show(useUi.getState().open === 'palette' ? 'none' : 'palette'),
  },
  {
    id: 'shortcuts',
    title: () => 'Show all keys',
    group: 'Window',
    keys: '?',
    when: () => true,
    run: () => show('shortcuts'),
  },
]
