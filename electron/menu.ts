import { Menu, type MenuItemConstructorOptions } from 'electron'
import type { IpcEventData, Settings } from '../shared/ipc.ts'
import { acceleratorOf } from './accelerator.ts'

type Command = IpcEventData<'command'>['command']

export interface MenuOptions {
  developer: boolean
  /** Keys that a person chose, by the action. */
  shortcuts: Settings['shortcuts']
}

/** The application menu: the platform's own items, and the console's few places, with the keys a person chose. */
export function setMenu(send: (command: Command) => void, options: MenuOptions): void {
  const keysOf = (action: string, usual: string) => {
    const chosen = options.shortcuts[action]
    return chosen === undefined ? usual : acceleratorOf(chosen)
  }
  const go = (label: string, command: Command, accelerator?: string): MenuItemConstructorOptions => ({
    label,
    click: () => send(command),
    ...(accelerator === undefined ? {} : { accelerator }),
  })
  const settings = go('Settings…', 'settings', keysOf('go.settings', 'CmdOrCtrl+,'))
  const mac = process.platform === 'darwin'
  const appMenu: MenuItemConstructorOptions = {
    role: 'appMenu',
    submenu: [
      { role: 'about' },
      { type: 'separator' },
      settings,
      { type: 'separator' },
      { role: 'services' },
      { type: 'separator' },
      { role: 'hide' },
      { role: 'hideOthers' },
      { role: 'unhide' },
      { type: 'separator' },
      { role: 'quit' },
    ],
  }
  const fileMenu: MenuItemConstructorOptions = {
    label: 'File',
    submenu: [settings, { type: 'separator' }, { role: 'quit' }],
  }
  const developer: MenuItemConstructorOptions[] = [
    { type: 'separator' },
    { role: 'reload' },
    { role: 'toggleDevTools' },
  ]
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      mac ? appMenu : fileMenu,
      { role: 'editMenu' },
      {
        label: 'Go',
        submenu: [
          go('Fleet', 'fleet', keysOf('go.fleet', 'CmdOrCtrl+1')),
          // The window handles the key itself, so that it works while a terminal or the live view has the focus.
          { ...go('Command palette', 'palette', keysOf('palette', 'CmdOrCtrl+K')), registerAccelerator: false },
        ],
      },
      {
        label: 'View',
        submenu: [
          { role: 'resetZoom' },
          { role: 'zoomIn' },
          { role: 'zoomOut' },
          { type: 'separator' },
          { role: 'togglefullscreen' },
          ...(options.developer ? developer : []),
        ],
      },
      { role: 'windowMenu' },
    ]),
  )
}

/** What was kept of them, before the rest of the settings is read. */
export function chosenShortcuts(kept: unknown): Settings['shortcuts'] {
  if (typeof kept !== 'object' || kept === null) return {}
  const texts = Object.entries(kept).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return Object.fromEntries(texts)
}
