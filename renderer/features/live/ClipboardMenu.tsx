import { ClipboardPaste } from 'lucide-react'
import type { RefObject } from 'react'
import { useBusy, work } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { Menu, type MenuEntry } from '../../ui/Menu.tsx'
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
  /** Without one there is no clipboard on the machine: text passes to and from the page itself. */
  display: boolean
  session: RefObject<LiveSession | null>
}

/** Text passes to the machine and from it only when a person says so, one way at a time. */
export function ClipboardMenu({ machineId, name, client, display, session }: ClipboardMenuProps) {
  const key = `clipboard:${machineId}`
  const busy = useBusy(key)
  const put = (then: () => void) =>
    work(key, 'Pasting', async () => {
      const characters = await client.paste('display')
      then()
      toast({ title: `${count(characters)} put on the clipboard of ${name}`, id: key })
    })
  const copy = (of: 'display' | 'page') =>
    work(key, 'Copying', async () => {
      toast({ title: `${count(await client.copy(of))} copied from ${name}`, id: key })
    })
  const ofDisplay: MenuEntry[] = [
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
      run: () => void copy('display'),
    },
  ]
  const ofPage: MenuEntry[] = [
    {
      id: 'paste',
      title: 'Paste this computer’s clipboard at the cursor',
      run: () =>
        void work(key, 'Pasting', async () => {
          toast({ title: `${count(await client.paste('page'))} pasted into the page of ${name}`, id: key })
        }),
    },
    {
      id: 'copy',
      title: 'Copy what is selected on the page to this computer',
      separated: true,
      run: () => void copy('page'),
    },
  ]
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
      entries={display ? ofDisplay : ofPage}
    />
  )
}

function count(characters: number): string {
  return characters === 1 ? '1 character' : `${characters.toLocaleString('en')} characters`
}
