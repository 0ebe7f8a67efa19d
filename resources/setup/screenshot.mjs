// @ts-check
import { closeSync, mkdirSync, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { SetupFailure } from './failure.mjs'

/** Says early that the picture could not be saved. @param {string} file */
export function checkWritable(file) {
  try {
    mkdirSync(dirname(file), { recursive: true })
  } catch (error) {
    throw new SetupFailure(`${dirname(file)} cannot be made: ${error instanceof Error ? error.message : error}`)
  }
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new SetupFailure(`${file} is a folder.`, { next: 'name a file for the picture', exitCode: 2 })
  }
}

/**
 * The size of a picture saved after a moment; throws when there is none.
 * @param {string} file
 * @param {number} since  ms; a picture from an earlier run must not pass for this one
 * @returns {{ width: number, height: number }}
 */
export function pictureSize(file, since) {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found || found.mtimeMs < since) throw new SetupFailure(`The console ended without saving ${file}.`)
  const head = Buffer.alloc(24)
  const handle = openSync(file, 'r')
  readSync(handle, head, 0, head.length, 0)
  closeSync(handle)
  const isPng = head.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))
  if (!isPng) throw new SetupFailure(`${file} was saved but is not a PNG.`)
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) }
}
