import { ArrowLeft, ArrowRight, Plus, RotateCw, X } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useBusy, work } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { toast } from '../../ui/Toast.tsx'
import type { LiveClient } from './client.ts'
import styles from './live.module.css'
import { shownAddress } from './shownAddress.ts'
import { typedAddress } from './typedAddress.ts'
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
  const [typed, setTyped] = useState<string | null>(null)
  const may = live && mine
  const go = (what: string, task: () => Promise<unknown>) =>
    work(`go:${machineId}`, what, async () => {
      await task()
      ask()
    })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (typed === null || !may) return
    const address = typedAddress(typed)
    if (address === null) {
      toast({
        title: 'That is not an address',
        detail: 'Type one such as example.org/page.',
        kind: 'problem',
        id: 'go',
      })
      return
    }
    ;(document.activeElement as HTMLElement | null)?.blur()
    setTyped(null)
    await go('Going there', () => client.page('browser.navigate', { url: address, waitUntil: 'domcontentloaded' }))
  }
  const why = (label: string) => (mine ? label : `${label}: take over first`)
  return (
    <>
      <form className={styles.address} onSubmit={submit} aria-label="Navigation">
        <IconButton
          label={why('Back')}
          icon={<ArrowLeft size={15} aria-hidden />}
          disabled={!may}
          data-testid="nav-back"
          onClick={() => void go('Going back', () => client.page('browser.back', {}))}
        />
        <IconButton
          label={why('Forward')}
          icon={<ArrowRight size={15} aria-hidden />}
          disabled={!may}
          data-testid="nav-forward"
          onClick={() => void go('Going forward', () => client.page('browser.forward', {}))}
        />
        <IconButton
          label={why('Reload')}
          icon={<RotateCw size={14} aria-hidden />}
          busy={going}
          disabled={!may}
          data-testid="nav-reload"
          onClick={() => void go('Reloading', () => client.page('browser.reload', {}))}
        />
        <input
          className={styles.url}
          aria-label="Address"
          data-testid="live-url"
          readOnly={!may}
          spellCheck={false}
          autoComplete="off"
          value={typed ?? (live ? shownAddress(url) : '—')}
          onFocus={(event) => {
            if (!may) return
            setTyped(url ?? '')
            const field = event.currentTarget
            requestAnimationFrame(() => field.select())
          }}
          onBlur={() => setTyped(null)}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return
            event.stopPropagation()
            event.currentTarget.blur()
          }}
        />
        {may && (
          <IconButton
            label="New tab"
            icon={<Plus size={15} aria-hidden />}
            data-testid="nav-new-tab"
            onClick={() => void go('Opening a tab', () => client.page('tabs.open', {}))}
          />
        )}
        {figures}
      </form>
      {tabs.length > 1 && (
        <div className={styles.tabs} role="toolbar" aria-label="Tabs of the browser" data-testid="live-tabs">
          {tabs.map((tab) => (
            <span key={tab.id} className={styles.pageTab} data-active={tab.active ? '' : undefined}>
              <Button
                variant="ghost"
                disabled={!may}
                aria-pressed={tab.active}
                title={tab.url}
                onClick={() => void go('Changing the tab', () => client.page('tabs.activate', { id: tab.id }))}
              >
                <span>{tab.title || shownAddress(tab.url)}</span>
              </Button>
              {may && (
                <IconButton
                  label={`Close ${tab.title || 'the tab'}`}
                  icon={<X size={13} aria-hidden />}
                  onClick={() => void go('Closing the tab', () => client.page('tabs.close', { id: tab.id }))}
                />
              )}
            </span>
          ))}
        </div>
      )}
    </>
  )
}
