// @ts-check
const { app, BrowserWindow } = require('electron')
const path = require('node:path')

// The least an Electron app can be: one window with one word.
app.setPath('userData', String(process.env.PILOTHOUSE_USER_DATA))
app.whenReady().then(() => {
  const window = new BrowserWindow({ width: 1280, height: 800, webPreferences: { sandbox: true } })
  window.loadFile(path.join(__dirname, 'index.html'))
})
app.on('window-all-closed', () => app.quit())
