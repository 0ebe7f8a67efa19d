import { ClipboardPaste } from 'lucide-react'
import type { RefObject } from 'react'
import { useBusy, work } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { toast } from '../../ui/Toast.tsx'
import { backToPicture } from './backToPicture.ts'
import type { LiveClient } from './client.ts'
import styles from './live.module.css'
import { pasteKeys } from './screen.ts'
import type { LiveSession } from './session.ts'

interface ClipboardMenuProps {
  machineId: string
  name: string
  client: LiveClient
  session: RefObject<LiveSession | null>
}

/** Text passes between the two clipboards only when a person says so, one way at a time. */
export function ClipboardMenu({ machineId, name, client, session }: ClipboardMenuProps) {
  const key = `clipboard:${machineId}`
  const busy = useBusy(key)
  const put = (then: () => void) =>
    work(key, 'Pasting', async () => {
      const characters = await client.paste()
      then()
      toast({ title: `${count(characters)} put on the clipboard of ${name}`, id: key })
    })
  return (
    <Menu
      trigger={
        <Button
          variant="ghost"
          icon={<ClipboardPaste size={15} aria-hidden />}
          busy={busy}
          aria-label="Clipboard"
          data-testid="clipboard"
          data-live-menu=""
        >
          <span className={styles.word}>Paste</span>
        </Button>
      }
      focusAfter={() => backToPicture(session.current)}
      entries={[
        {
          id: 'paste',
          title: 'Paste this computer’s clipboard',
          run: () => void put(() => session.current?.press(pasteKeys)),
        },
        { id: 'put', title: `Only put it on the clipboard of ${name}`, run: () => void put(() => {}) },
        {
          id: 'copy',
          title: `Copy the clipboard of ${name} to this computer`,
          separated: true,
          run: () =>
            void work(key, 'Copying', async () => {
              toast({ title: `${count(await client.copy())} copied from ${name}`, id: key })
            }),
        },
      ]}
    />
  )
}

function count(characters: number): string {
  return characters === 1 ? '1 character' : `${characters} characters`
}
