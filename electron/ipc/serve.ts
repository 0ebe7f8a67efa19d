import { type IpcMainInvokeEvent, ipcMain, type MessagePortMain, type WebContents, type WebFrameMain } from 'electron'
import type { IpcEventData, IpcEventName } from '../../shared/ipc.ts'
import { ipcChannel } from '../../shared/ipc-channels.ts'
import type { Caller, createDispatch } from './dispatch.ts'
import { isOurs, type Origin } from './sender.ts'

type Dispatch = ReturnType<typeof createDispatch>

/** The windows that may ask, and are told of events. */
const windows = new Map<number, WebContents>()

/** Lets a window's page ask; it is forgotten when the window goes. */
export function admit(contents: WebContents): void {
  windows.set(contents.id, contents)
  contents.once('destroyed', () => windows.delete(contents.id))
}

/** Registered before the rest of the console is loaded: a window that is faster waits here. */
export function serveIpc(dispatch: Promise<Dispatch>, origins: readonly Origin[]): void {
  ipcMain.handle(ipcChannel.invoke, async (event, name: unknown, params: unknown) => {
    const ours = isOurs(event, new Set(windows.keys()), origins)
    return (await dispatch)(ours ? callerOf(event) : undefined, name, params)
  })
}

/** Tells every window; says how many there are. */
export function broadcast<Name extends IpcEventName>(name: Name, data: IpcEventData<Name>): number {
  const json = JSON.stringify(data)
  const there = [...windows.values()].filter((contents) => !contents.isDestroyed())
  for (const contents of there) contents.send(ipcChannel.event, name, json)
  return there.length
}

/** Tells one window, if it may be told anything. */
export function tell<Name extends IpcEventName>(contents: WebContents, name: Name, data: IpcEventData<Name>): void {
  if (windows.has(contents.id) && !contents.isDestroyed()) contents.send(ipcChannel.event, name, JSON.stringify(data))
}

function callerOf({ sender, senderFrame }: IpcMainInvokeEvent): Caller {
  return callerIn(sender, senderFrame)
}

/** A page that is given a stream without asking, and may ask nothing. */
export function portTo(contents: WebContents): Caller {
  return callerIn(contents, contents.mainFrame)
}

function callerIn(sender: WebContents, senderFrame: WebFrameMain | null): Caller {
  return {
    sendPort(streamId, port) {
      if (sender.isDestroyed() || senderFrame === null || senderFrame.detached) return false
      senderFrame.postMessage(ipcChannel.port, streamId, [port as MessagePortMain])
      return true
    },
    onGone(callback) {
      const navigated = (details: { isMainFrame: boolean; isSameDocument: boolean }) => {
        if (details.isMainFrame && !details.isSameDocument) callback()
      }
      sender.once('destroyed', callback)
      sender.once('render-process-gone', callback)
      sender.on('did-start-navigation', navigated)
      return () => {
        sender.off('destroyed', callback)
        sender.off('render-process-gone', callback)
        sender.off('did-start-navigation', navigated)
      }
    },
  }
}
