/** Channel names on Electron's wire. Alone in a file, so that the preload carries no schema library. */
export const ipcChannel = { invoke: 'pilothouse:invoke', event: 'pilothouse:event', port: 'pilothouse:port' } as const

/** What a DevTools window is told of itself. */
export const devToolsChannel = 'pilothouse:devtools'
