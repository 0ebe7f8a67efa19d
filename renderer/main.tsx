import '@fontsource-variable/inter'
import '@fontsource-variable/jetbrains-mono'
import './ui/tokens.css'
import './ui/base.css'
import { createRoot } from 'react-dom/client'
import { App } from './app/App.tsx'
import { startWindow } from './app/start.ts'
import { fleetRead } from './features/fleet/fleet.store.ts'

/** A fleet that comes sooner is in the first picture; one that takes longer does not hold it up. */
const waitForFleetMs = 100

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')
startWindow()
await Promise.race([fleetRead(), new Promise((resolve) => setTimeout(resolve, waitForFleetMs))])
createRoot(root).render(<App />)
