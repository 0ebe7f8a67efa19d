import { RotateCw, TriangleAlert } from 'lucide-react'
import { useBusy, work } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { Panel } from '../../ui/Panel.tsx'
import type { LiveClient } from './client.ts'

/** Where the picture is the page alone: it ends with the page, and the last one would stand there as if it lived. */
export function CrashedPage({ client, mine }: { client: LiveClient; mine: boolean }) {
  const key = `crashed:${client.machineId}`
  const busy = useBusy(key)
  const reload = () =>
    void work(key, 'Reloading', async () => {
      await client.page('browser.reload', { ignoreCache: false })
    })
  return (
    <Panel
      tone="broken"
      icon={<TriangleAlert size={28} aria-hidden />}
      title="The page crashed"
      text="The browser runs on. What stood on the page and was not sent is gone."
      note={mine ? undefined : 'Take over to load it again.'}
      action={
        mine && (
          <Button
            variant="primary"
            icon={<RotateCw size={15} aria-hidden />}
            busy={busy}
            data-testid="crashed-reload"
            onClick={reload}
          >
            Reload
          </Button>
        )
      }
    />
  )
}
