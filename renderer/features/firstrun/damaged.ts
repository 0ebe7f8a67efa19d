import type { ShownProblem } from '../../ui/ErrorText.tsx'

const code = 'store-damaged'

/** An empty fleet looks like a first day to whoever had machines yesterday. */
export function damagedAndEmpty(file: string): ShownProblem {
  return {
    ...{ code, title: 'What this console kept could not be read, so it began anew' },
    detail: `Its file is damaged and was put aside as ${file}. The machines lost nothing and go on: add them again with their secrets, or close the console and put a backup of its folder in place.`,
  }
}

/** What could be read came along; what is missing is told once, in the run that found it out. */
export function damagedInPart(file: string): ShownProblem {
  return {
    ...{ code, title: 'Some of what this console kept could not be read' },
    detail: `Its file is damaged and was put aside as ${file}. The machines that could be read of it are here; any that is missing has to be added again. The history and this console’s own audit begin anew. The machines themselves lost nothing.`,
  }
}
