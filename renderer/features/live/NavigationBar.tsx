import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { useBusy, work } from '../../app/work.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { AddressForm } from '../navigation/AddressForm.tsx'
import { giveUp, goOn } from '../navigation/going.ts'
import { PageTabs } from '../navigation/PageTabs.tsx'
import type { LiveClient } from './client.ts'
import { useTabs } from './useTabs.ts'

interface NavigationBarProps {
  machineId: string
  client: LiveClient
  url: string | null
  /** Whether there is a page. */
  live: boolean
  /** Whether this person has control; without it the bar only shows. */
  mine: boolean
  figures: ReactNode
}

/** Where the page is, and the ways elsewhere: the browser itself shows none of it. */
export function NavigationBar({ machineId, client, url, live, mine, figures }: NavigationBarProps) {
  const going = useBusy(`go:${machineId}`)
  const { tabs, ask } = useTabs(machineId, client, live)
  const may = live && mine
  const key = `go:${machineId}`
  const go = (what: string, task: () => Promise<unknown>) => void goOn(key, what, task).then(ask)
  // A page that loads slowly keeps nobody from another tab.
  const change = (what: string, task: () => Promise<unknown>) =>
    void work(`tabs:${machineId}`, what, async () => {
      await task()
      ask()
    })
  const stop = () => void work(`stop:${machineId}`, 'Stopping', () => giveUp(key, () => client.stopLoading()))
  return (
    <>
      <AddressForm
        id="live"
        url={live ? url : null}
        may={may}
        why={mine ? undefined : 'take over first'}
        going={going}
        onGo={(address) =>
          go('Going there', () => client.page('browser.navigate', { url: address, waitUntil: 'domcontentloaded' }))
        }
        onBack={() => go('Going back', () => client.page('browser.back', {}))}
        onForward={() => go('Going forward', () => client.page('browser.forward', {}))}
        onReload={(ignoreCache) => go('Reloading', () => client.page('browser.reload', { ignoreCache }))}
        onStop={stop}
      >
        {may && (
          <IconButton
            label="New tab"
            icon={<Plus size={15} aria-hidden />}
            data-testid="live-new-tab"
            onClick={() => change('Opening a tab', () => client.page('tabs.open', {}))}
          />
        )}
        {figures}
      </AddressForm>
      {tabs.length > 1 && (
        <PageTabs
          id="live"
          tabs={tabs}
          shown={tabs.find(({ active }) => active)?.id}
          choosable={may}
          closable={may}
          onChoose={({ id }) => change('Changing the tab', () => client.page('tabs.activate', { id }))}
          onClose={({ id }) => change('Closing the tab', () => client.page('tabs.close', { id }))}
        />
      )}
    </>
  )
}
