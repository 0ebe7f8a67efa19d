import type { MachineView } from '../../../shared/domain/machine.ts'
import { call } from '../../app/bridge.ts'
import { toast } from '../../ui/Toast.tsx'
import { formatBytes } from '../inspector/capture/capture.ts'
import type { Download } from './screen.ts'

/** A path is to be read, and perhaps written down. */
const standsMs = 20_000

/** The picture is the page alone, without what a browser shows of its downloads: a click on one would seem to do nothing. */
export function tellDownload({ id: machineId, name }: MachineView, download: Download): void {
  const { id, filename, state, receivedBytes, path } = download
  const file = { id: `download:${machineId}:${id}`, forMs: standsMs }
  if (state === 'started')
    return toast({ ...file, title: `Downloading ${filename}`, detail: `It is kept on ${name}.`, forMs: 0 })
  if (state !== 'completed')
    return toast({
      ...{ ...file, kind: 'problem', title: `${filename} was not downloaded` },
      detail: `It ended after ${formatBytes(receivedBytes)}. Try it again on the page.`,
    })
  const title = `${filename} is downloaded, ${formatBytes(receivedBytes)}`
  if (path == null) return toast({ ...file, title, detail: `It is in the downloads of the browser on ${name}.` })
  const copy = () => void call('app.copyText', { text: path })
  toast({ ...file, title, detail: `On ${name}: ${path}`, action: { label: 'Copy the path', run: copy } })
}
