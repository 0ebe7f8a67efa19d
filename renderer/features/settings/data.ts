import type { DataPart } from '../../../shared/ipc-settings.ts'

/** What each part is called, what goes with it, and what stays. */
export const partTexts: Record<DataPart, { title: string; text: string; rows: string }> = {
  answers: {
    title: 'What machines last answered',
    text: 'Workers, containers and names of variables, for looking at machines offline. They answer again when they are reached.',
    rows: 'answer',
  },
  history: {
    title: 'Load, events and changes of state',
    text: 'Charts and timelines begin anew. Machines do not keep these for longer than they run.',
    rows: 'entry',
  },
  logs: {
    title: 'Lines of logs that were looked at',
    text: 'For reading them offline. The machines keep their logs.',
    rows: 'log',
  },
  pictures: {
    title: 'Last pictures of machines',
    text: 'What stands behind the panel of a machine that is gone or cannot be reached. They are encrypted; their key goes with them.',
    rows: 'picture',
  },
  'audit-copies': {
    title: 'Copies of the machines’ audits',
    text: 'The machines keep the record itself, and it is copied again when it is looked at.',
    rows: 'entry',
  },
  takeovers: {
    title: 'Your takeovers',
    text: 'What you took over, how it ended and how long it took. Machines that answer tell theirs again; those of machines that are gone do not come back.',
    rows: 'takeover',
  },
  deploys: {
    title: 'Deploys that have ended',
    text: 'Who deployed what from this console, and how each step went. What is under way stays, and so does every machine’s own record.',
    rows: 'entry',
  },
  'log-files': { title: 'This console’s own log', text: 'For finding faults of the console.', rows: 'file' },
}

/** Bytes in a unit that keeps the number short. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 1e6) return `${Math.round(bytes / 1e3)} kB`
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`
}

/** How many of what; words of these parts only. */
export function countOf(count: number, word: string): string {
  if (count === 1) return `1 ${word}`
  return `${count} ${word.endsWith('y') ? `${word.slice(0, -1)}ies` : `${word}s`}`
}
