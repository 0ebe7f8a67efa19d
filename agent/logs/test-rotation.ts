import fs from 'node:fs'
import { workerData } from 'node:worker_threads'

/** Writes a numbered log as Docker does, in a thread of its own, and rotates it faster than it can be read. For tests. */
const { file, total, fileBytes, files } = workerData as {
  file: string
  total: number
  fileBytes: number
  files: number
}
const cell = new Int32Array(new SharedArrayBuffer(4))

let fd = fs.openSync(file, 'a')
let size = 0
for (let number = 1; number <= total; number++) {
  if (size >= fileBytes) rotate()
  const time = new Date(1_700_000_000_000 + number).toISOString().replace('Z', '000000Z')
  size += fs.writeSync(fd, `{"log":"${number}\\n","stream":"stdout","time":"${time}"}\n`)
  if (number % 50 === 0) Atomics.wait(cell, 0, 0, 1)
}

function rotate(): void {
  fs.closeSync(fd)
  for (let index = files - 1; index > 0; index--) {
    const older = index === 1 ? file : `${file}.${index - 1}`
    if (fs.existsSync(older)) fs.renameSync(older, `${file}.${index}`)
  }
  fd = fs.openSync(file, 'w')
  size = 0
}
