import { contextBridge, ipcRenderer } from 'electron'
import type { Bridge } from '../shared/ipc.ts'
import { ipcChannel } from '../shared/ipc-channels.ts'

/** All a window has of main: one function to ask, one to be told, and ports for streams. */
const bridge: Bridge = {
  invoke: (name, params) => ipcRenderer.invoke(ipcChannel.invoke, name, params),
  onEvent(listener) {
    const forward = (_event: unknown, name: string, json: string) => listener(name, json)
    ipcRenderer.on(ipcChannel.event, forward)
    return () => ipcRenderer.off(ipcChannel.event, forward)
  },
}
contextBridge.exposeInMainWorld('pilothouse', bridge)

// A port cannot pass the bridge; it is posted into the page, to the page's own origin only.
ipcRenderer.on(ipcChannel.port, (event, streamId: string) => {
  window.postMessage({ pilothouseStream: streamId }, location.origin, event.ports)
})
