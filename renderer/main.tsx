import '@fontsource-variable/inter'
import '@fontsource-variable/jetbrains-mono'
import './ui/tokens.css'
import './ui/base.css'
import { createRoot } from 'react-dom/client'
import { App } from './app/App.tsx'
import { startWindow } from './app/start.ts'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')
startWindow()
createRoot(root).render(<App />)
