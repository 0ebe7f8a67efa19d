import { useState } from 'react'
import type { MachineView } from '../../../../shared/domain/machine.ts'
import { callAgent } from '../../../app/bridge.ts'
import { useAsking } from '../../../app/useAsking.ts'
import { Button } from '../../../ui/Button.tsx'
import { Check } from '../../../ui/Check.tsx'
import { Dialog, DialogActions } from '../../../ui/Dialog.tsx'
import { ErrorText } from '../../../ui/ErrorText.tsx'
import { Field, Input, TextArea } from '../../../ui/Field.tsx'
import { Select } from '../../../ui/Select.tsx'
import tools from '../tools.module.css'
import { type Cookie, type CookieDraft, draftOf, mistakesIn, setParams } from './cookies.ts'

interface EditCookieProps {
  machine: MachineView
  url: string | null
  editing: { cookie: Cookie | null } | null
  onClose: () => void
  onSaved: () => Promise<void>
}

export function EditCookie({ machine, url, editing, onClose, onSaved }: EditCookieProps) {
  const name = editing?.cookie?.name
  return (
    <Dialog
      open={editing !== null}
      onClose={onClose}
      wide
      title={name === undefined ? 'Add a cookie' : `Change the cookie ${name}`}
      description={`The browser on ${machine.name} sends it from its next request on.`}
    >
      {editing !== null && (
        <CookieForm machine={machine} url={url} cookie={editing.cookie} onClose={onClose} onSaved={onSaved} />
      )}
    </Dialog>
  )
}

interface CookieFormProps extends Omit<EditCookieProps, 'editing'> {
  cookie: Cookie | null
}

function CookieForm({ machine, url, cookie, onClose, onSaved }: CookieFormProps) {
  const [draft, setDraft] = useState(() => draftOf(cookie, url))
  const [tried, setTried] = useState(false)
  const { busy, problem, onSubmit } = useAsking()
  const mistakes = mistakesIn(draft)
  const shown = tried ? mistakes : {}
  const change = (changed: Partial<CookieDraft>) => setDraft((now) => ({ ...now, ...changed }))
  const save = async () => {
    setTried(true)
    if (Object.keys(mistakes).length > 0) return
    await callAgent(machine.id, 'cookies.set', setParams(draft))
    await onSaved()
    onClose()
  }
  // Name, host and path are what a cookie is known by: with another one it would be a second cookie.
  const fixed = cookie !== null
  return (
    <form className={tools.form} onSubmit={onSubmit('submit', save)} noValidate>
      <div className={tools.pair}>
        <Field label="Name" error={shown.name}>
          {(control) => (
            <Input
              {...control}
              className={tools.mono}
              readOnly={fixed}
              value={draft.name}
              data-testid="cookie-name"
              onChange={(event) => change({ name: event.target.value })}
            />
          )}
        </Field>
        <Field label="Host" error={shown.domain} hint={fixed ? undefined : 'With a dot in front: subdomains too.'}>
          {(control) => (
            <Input
              {...control}
              className={tools.mono}
              readOnly={fixed}
              value={draft.domain}
              onChange={(event) => change({ domain: event.target.value.trim() })}
            />
          )}
        </Field>
      </div>
      <Field label="Value" error={shown.value}>
        {(control) => (
          <TextArea
            {...control}
            className={tools.mono}
            spellCheck={false}
            value={draft.value}
            data-testid="cookie-value"
            onChange={(event) => change({ value: event.target.value })}
          />
        )}
      </Field>
      <div className={tools.pair}>
        <Field label="Path" error={shown.path}>
          {(control) => (
            <Input
              {...control}
              className={tools.mono}
              readOnly={fixed}
              value={draft.path}
              onChange={(event) => change({ path: event.target.value })}
            />
          )}
        </Field>
        <Field label="Ends" error={shown.expires} hint="Empty: with the browser.">
          {(control) => (
            <Input
              {...control}
              type="datetime-local"
              step={1}
              value={draft.expires}
              onChange={(event) => change({ expires: event.target.value })}
            />
          )}
        </Field>
      </div>
      <div className={tools.pair}>
        <Field label="Sent from other sites" error={shown.sameSite}>
          {({ id }) => (
            <Select
              id={id}
              value={draft.sameSite}
              options={{ unset: 'Not said', Strict: 'Strict: never', Lax: 'Lax: by links', None: 'None: always' }}
              onChange={(sameSite) => change({ sameSite })}
            />
          )}
        </Field>
        <div className={tools.form}>
          <Check checked={draft.httpOnly} onChange={(httpOnly) => change({ httpOnly })}>
            HttpOnly: scripts do not see it
          </Check>
          <Check checked={draft.secure} onChange={(secure) => change({ secure })}>
            Secure: over https only
          </Check>
        </div>
      </div>
      {problem !== null && <ErrorText problem={problem} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" busy={busy !== null} data-testid="cookie-save">
          {fixed ? 'Change cookie' : 'Add cookie'}
        </Button>
      </DialogActions>
    </form>
  )
}
