import { contextBridge, ipcRenderer } from 'electron'
import { devToolsChannel, ipcChannel } from '../../shared/ipc-channels.ts'
import type { DevToolsNote } from './note.ts'
import { installPortSocket } from './port-socket.ts'

/** All this window has of main: one port with the protocol in it, and a line that says what it may do. */
contextBridge.executeInMainWorld({ func: installPortSocket })
ipcRenderer.on(ipcChannel.port, (event) => {
  window.postMessage('pilothouse-devtools', location.origin, event.ports)
})

const barHeight = 26
let bar: HTMLElement | undefined

ipcRenderer.on(devToolsChannel, (_event, { text, tone, dark }: DevToolsNote) => {
  if (bar === undefined) {
    bar = document.createElement('div')
    bar.setAttribute('role', 'status')
    bar.id = 'pilothouse-note'
    Object.assign(bar.style, {
      ...{ position: 'fixed', left: '0', right: '0', bottom: '0', height: `${barHeight}px`, zIndex: '2147483647' },
      ...{ display: 'flex', alignItems: 'center', padding: '0 12px', boxSizing: 'border-box', overflow: 'hidden' },
      ...{ font: '12px/1 system-ui, sans-serif', whiteSpace: 'nowrap', userSelect: 'none' },
    })
    document.documentElement.append(bar)
    // The front end fills its body; the line stands below it instead of over it.
    document.body.style.height = `calc(100% - ${barHeight}px)`
  }
  const [ground, word] = looks[dark ? 'dark' : 'light'][tone]
  Object.assign(bar.style, { background: ground, color: word })
  // The same words again would be read out again.
  if (bar.textContent !== text) bar.textContent = text
})

/** The console's own colours: amber is a person in control, yellow is what is not known, grey is nobody's. */
const looks: Record<'dark' | 'light', Record<DevToolsNote['tone'], readonly [string, string]>> = {
  dark: { person: ['#ffb020', '#14181f'], watching: ['#191e27', '#a6b0bf'], lost: ['#f5c84c', '#14181f'] },
  light: { person: ['#8f5500', '#ffffff'], watching: ['#e6e9ee', '#39424f'], lost: ['#7a5100', '#ffffff'] },
}

// On top of the front end's own policy, which would let it load experiments from a server and frames from anywhere.
const policy = [
  "default-src 'self' data: blob:",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self' data: blob:",
  "frame-src 'none'",
  "object-src 'none'",
  "form-action 'none'",
].join('; ')
new MutationObserver((_changes, observer) => {
  if (document.head === null) return
  observer.disconnect()
  const meta = document.createElement('meta')
  meta.httpEquiv = 'Content-Security-Policy'
  meta.content = policy
  document.head.prepend(meta)
}).observe(document, { childList: true, subtree: true })
