import { writeFile } from 'node:fs/promises'
import type { inspectorCalls } from '../../shared/ipc-inspector.ts'
import type { DevToolsWindows } from '../devtools/windows.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Recordings } from '../recordings/recordings.ts'
import { savedName } from '../saved-name.ts'
import type { IpcHandlers } from './dispatch.ts'

export interface InspectorHandlerDeps {
  fleet: Pick<Fleet, 'view'>
  devTools: Pick<DevToolsWindows, 'open'>
  recordings: Pick<Recordings, 'play' | 'save'>
  chooseFile: (suggested: string) => Promise<string | undefined>
}

/** What the Inspector does beyond asking the machine: windows, files and films. */
export function inspectorHandlers(deps: InspectorHandlerDeps): Pick<IpcHandlers, keyof typeof inspectorCalls> {
  const { fleet, devTools, recordings } = deps
  return {
    'devtools.open': ({ machineId, targetId }) => devTools.open(machineId, targetId),
    'capture.save': async ({ machineId, kind, content }) => {
      const file = await deps.chooseFile(`${savedName(fleet.view(machineId).name)}.${kind}`)
      if (file !== undefined) await writeFile(file, content)
      return { file: file ?? null, bytes: typeof content === 'string' ? Buffer.byteLength(content) : content.length }
    },
    'recording.play': ({ machineId, recordingId }, caller) => ({
      url: recordings.play(machineId, recordingId, caller),
    }),
    'recording.save': ({ machineId, recordingId }) => recordings.save(machineId, recordingId),
  }
}
