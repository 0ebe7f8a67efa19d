import { useState } from 'react'
import { isWebLink } from '../../../shared/web-link.ts'
import { call } from '../../app/bridge.ts'
import { work } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import styles from './Terminal.module.css'
import { useTerminals } from './terminals.store.ts'

/** An address in three parts, with the host as the parser reads it: punycode where letters could deceive. */
export function splitLink(url: string): { before: string; host: string; after: string } {
  if (!URL.canParse(url)) return { before: '', host: '', after: url }
  const { protocol, host, pathname, search, hash } = new URL(url)
  return { before: `${protocol}//`, host, after: `${pathname}${search}${hash}` }
}

const close = () => useTerminals.setState({ link: null })

/** Says where a link of a terminal leads before the browser of this computer goes there. */
export function LinkDialog() {
  const link = useTerminals((state) => state.link)
  // Kept while the dialog fades.
  const [shown, setShown] = useState(link)
  if (link !== null && link !== shown) setShown(link)
  if (shown === null) return null
  const { before, host, after } = splitLink(shown.url)
  const allowed = isWebLink(shown.url)
  const differs = shown.shown.trim() !== shown.url
  return (
    <Dialog
      open={link !== null}
      onClose={close}
      title={allowed ? `Open ${host}?` : 'This link is not opened'}
      description={
        allowed
          ? 'The machine wrote this link. It opens in the browser of this computer.'
          : 'Only http and https addresses without a user name in them are opened from here.'
      }
    >
      <p className={styles.link} data-testid="link-target">
        {before}
        <b>{host}</b>
        {after}
      </p>
      {differs && <p className={styles.differs}>In the terminal it reads “{shown.shown.trim().slice(0, 120)}”.</p>}
      <DialogActions>
        <CopyButton text={shown.url} label="Copy the address" />
        <Button onClick={close}>{allowed ? 'Cancel' : 'Close'}</Button>
        {allowed && (
          <Button
            variant="primary"
            data-testid="link-open"
            onClick={() => {
              close()
              void work('link', 'Opening the link', async () => {
                await call('app.openLink', { url: shown.url })
              })
            }}
          >
            Open {host.length > 40 ? 'it' : host}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}
