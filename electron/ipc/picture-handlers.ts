import type { pictureCalls } from '../../shared/ipc-pictures.ts'
import type { LastPictures } from '../pictures/last-pictures.ts'
import type { IpcHandlers } from './dispatch.ts'

export interface PictureHandlerDeps {
  lastPictures: LastPictures
  /** A window has handed over what it shows, since it was asked to. */
  picturesGiven: () => void
}

/** The last picture of each machine: handed over by a window that showed it, and back to one that stands before nothing. */
export function pictureHandlers({
  lastPictures,
  picturesGiven,
}: PictureHandlerDeps): Pick<IpcHandlers, keyof typeof pictureCalls> {
  return {
    'pictures.keep': ({ machineId, ...picture }) => {
      lastPictures.keep(machineId, picture)
      return {}
    },
    'pictures.last': async ({ machineId }) => ({ picture: await lastPictures.last(machineId) }),
    'pictures.given': () => {
      picturesGiven()
      return {}
    },
  }
}
