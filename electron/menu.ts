import { Menu, type MenuItemConstructorOptions } from 'electron'
import type { IpcEventData } from '../shared/ipc.ts'

type Command = IpcEventData<'command'>['command']

/** The application menu: the platform's own items, and the console's few places. */
export function setMenu(send: (command: Command) => void, options: { developer: boolean }): void {
  const go = (label: string, command: Command, accelerator?: string): MenuItemConstructorOptions => ({
    label,
    click: () => send(command),
    ...(accelerator === undefined ? {} : { accelerator }),
  })
  const settings = go('Settings…', 'settings', 'CmdOrCtrl+,')
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
          go('Fleet', 'fleet', 'CmdOrCtrl+1'),
          // The window handles the key itself, so that it works while a terminal or the live view has the focus.
          { ...go('Command palette', 'palette', 'CmdOrCtrl+K'), registerAccelerator: false },
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
