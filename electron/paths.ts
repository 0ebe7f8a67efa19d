import path from 'node:path'
import { app } from 'electron'

/** Where the parts of the console are, built from the tree or packaged. */
export function appPaths() {
  const root = app.getAppPath()
  const data = app.getPath('userData')
  const resources = app.isPackaged ? process.resourcesPath : undefined
  return {
    preload: path.join(root, 'out', 'preload', 'preload.cjs'),
    devToolsPreload: path.join(root, 'out', 'preload', 'devtools.cjs'),
    renderer: path.join(root, 'out', 'renderer'),
    store: path.join(data, 'console.db'),
    logs: path.join(data, 'logs'),
    pictures: path.join(data, 'last-pictures'),
    licences: path.join(root, 'out', 'licences.json'),
    localAgentData: path.join(data, 'local-agent'),
    node:
      process.env['PILOTHOUSE_NODE'] ?? path.join(resources ?? path.join(root, 'node_modules'), 'node', 'bin', 'node'),
    agentScript: path.join(resources ?? path.join(root, 'out'), 'agent', 'pilothouse-agent.mjs'),
    /** Native packages that the agent finds beside itself. */
    agentBeside: path.join(resources === undefined ? root : path.join(resources, 'agent'), 'node_modules', '@lydell'),
    startPage: path.join(resources ?? path.join(root, 'resources'), 'demo', 'welcome.html'),
  }
}
