// Says how it was started, and ends: see e2e/packaged.e2e.ts.
const { writeFileSync } = require('node:fs')
const { app } = require('electron')

const inspector = require('node:inspector').url() ?? null
writeFileSync(process.env.PROBE_REPORT ?? '', JSON.stringify({ inspector }))
app.exit(0)
