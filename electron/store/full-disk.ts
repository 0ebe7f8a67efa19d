import { Problem } from '../../shared/errors.ts'

/** What SQLite and the system say when there is no room to write. */
const full = /^(SQLITE_FULL|SQLITE_IOERR_(WRITE|FSYNC|TRUNCATE|SHMSIZE)|ENOSPC|EDQUOT)$/

export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && full.test(String(error.code))
}

/** Said where a person wanted something: its intent could not be written down, so it was not begun. */
export function diskFull(error: unknown): Problem {
  return new Problem(
    'storage-full',
    'The disk of this computer is full: what you wanted could not be written down, so it was not done. Make room, then try again.',
    {},
    { cause: error },
  )
}
