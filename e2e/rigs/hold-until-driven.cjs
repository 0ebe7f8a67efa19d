// @ts-check
const { app } = require('electron')

// Playwright attaches to a window that may be half made, and then waits for ever. So the app is not ready before
// Playwright is; it says so by calling this function. Nothing else of the app is changed.
const ready = app.whenReady()
let release = () => {}
/** @type {Promise<void>} */
const driven = new Promise((resolve) => {
  release = resolve
})
app.whenReady = () => driven
Object.assign(globalThis, { __playwright_run: () => ready.then(release) })
