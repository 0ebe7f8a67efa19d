import { Cookie as CookieIcon, Pencil, Plus, SearchX, Trash2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { MachineView } from '../../../../shared/domain/machine.ts'
import { callAgent } from '../../../app/bridge.ts'
import { confirm } from '../../../app/ui.store.ts'
import { useBusy, work } from '../../../app/work.ts'
import { Button } from '../../../ui/Button.tsx'
import { Check } from '../../../ui/Check.tsx'
import { useNow } from '../../../ui/clock.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { SearchField } from '../../../ui/SearchField.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { useSort } from '../../../ui/useSort.ts'
import { useWide } from '../../../ui/useWide.ts'
import { LookAgain, PanelProblem } from '../PanelParts.tsx'
import { RowTools } from '../RowTools.tsx'
import { hasPage } from '../sessions.ts'
import { whyReadOnly } from '../takeOver.tsx'
import tools from '../tools.module.css'
import { useAnswer } from '../useAnswer.ts'
import { type Cookie, cookieId, deleteParams, expiryText, matches } from './cookies.ts'
import { EditCookie } from './EditCookie.tsx'

type Key = 'name' | 'value' | 'domain' | 'path' | 'expires' | 'marks' | 'tools'

const sorts: Partial<Record<Key, (cookie: Cookie) => string | number>> = {
  name: ({ name }) => name,
  value: ({ value }) => value,
  marks: ({ httpOnly, secure, sameSite }) => [httpOnly, secure, sameSite].join(),
  domain: ({ domain }) => domain,
  path: ({ path }) => path,
  expires: ({ expires }) => (expires <= 0 ? Number.POSITIVE_INFINITY : expires),
}

interface CookiesViewProps {
  machine: MachineView
  url: string | null
}

/** The cookies of the browser. Their values are logins: they are shown to whoever has control. */
export function CookiesView({ machine, url }: CookiesViewProps) {
  const [ofPage, setOfPage] = useState(true)
  const [query, setQuery] = useState('')
  const [editing, setEditing] = useState<{ cookie: Cookie | null } | null>(null)
  const why = whyReadOnly(machine)
  const web = url !== null && /^https?:/.test(url)
  const answer = useAnswer(machine.id, 'cookies.list', ofPage && web ? { url } : {}, {
    when: hasPage(machine),
    again: why,
  })
  const busy = useBusy(`cookies:${machine.id}`)
  const found = useMemo(
    () => (answer.value?.cookies ?? []).filter((cookie) => matches(cookie, query)),
    [answer.value, query],
  )
  const { rows, sort, onSort } = useSort<Cookie, Key>(found, sorts)
  const wide = useWide(1280)
  const now = useNow()
  const remove = (cookie: Cookie) =>
    confirm({
      title: `Delete the cookie ${cookie.name}?`,
      text: `Of ${cookie.domain}, on ${machine.name}. Whoever is logged in by it there is logged out.`,
      action: 'Delete cookie',
      run: () =>
        work(`cookies:${machine.id}`, 'Deleting the cookie', async () => {
          await callAgent(machine.id, 'cookies.delete', deleteParams(cookie))
          await answer.reload()
        }),
    })
  const columns = columnsOf({ why, wide, now, edit: (cookie) => setEditing({ cookie }), remove })
  return (
    <>
      <div className={tools.bar}>
        <SearchField
          label="Search cookies"
          placeholder="Name, host, path"
          value={query}
          onChange={setQuery}
          testId="cookies-search"
        />
        <Check checked={ofPage} onChange={setOfPage} testId="cookies-of-page">
          Only those of this page
        </Check>
        <span className={tools.end}>
          {why !== undefined && <span className={tools.why}>Values are hidden: {why}</span>}
          <LookAgain label="Read the cookies again" answer={answer} />
          <Button
            icon={<Plus size={15} aria-hidden />}
            disabled={why !== undefined}
            busy={busy}
            title={why === undefined ? undefined : `Adding a cookie: ${why}`}
            data-testid="cookie-add"
            onClick={() => setEditing({ cookie: null })}
          >
            Add
          </Button>
        </span>
      </div>
      <PanelProblem problem={answer.problem} />
      <div className={`${tools.body} ${tools.flat}`}>
        <Table
          label={`Cookies on ${machine.name}`}
          testId="cookies-table"
          columns={columns}
          rows={rows}
          rowId={cookieId}
          sort={sort}
          onSort={onSort}
          onOpen={(cookie) => why === undefined && setEditing({ cookie })}
          empty={
            answer.value === null ? (
              <EmptyState title={answer.asking ? 'Reading the cookies…' : 'Not known'} />
            ) : query === '' ? (
              <EmptyState
                icon={<CookieIcon size={26} aria-hidden />}
                title={ofPage && web ? 'This page would be sent no cookies' : 'No cookies'}
              />
            ) : (
              <EmptyState icon={<SearchX size={26} aria-hidden />} title="No cookie matches" />
            )
          }
        />
      </div>
      <EditCookie
        machine={machine}
        url={url}
        editing={editing}
        onClose={() => setEditing(null)}
        onSaved={() => answer.reload()}
      />
    </>
  )
}

interface ColumnDeps {
  why: string | undefined
  wide: boolean
  now: number
  edit: (cookie: Cookie) => void
  remove: (cookie: Cookie) => void
}

function columnsOf({ why, wide, now, edit, remove }: ColumnDeps): Column<Cookie, Key>[] {
  const all: (Column<Cookie, Key> | false)[] = [
    { key: 'name', title: 'Name', width: 'minmax(110px, 1fr)', mono: true, cell: ({ name }) => name },
    {
      key: 'value',
      title: 'Value',
      width: 'minmax(110px, 1.6fr)',
      mono: true,
      cell: ({ value }) =>
        why === undefined ? <span title={value}>{value}</span> : <span className={tools.hidden}>hidden</span>,
    },
    {
      key: 'domain',
      title: 'Host',
      width: 'minmax(100px, 1fr)',
      mono: true,
      quiet: true,
      cell: ({ domain }) => domain,
    },
    wide && { key: 'path', title: 'Path', width: '90px', mono: true, quiet: true, cell: ({ path }) => path },
    { key: 'expires', title: 'Ends', width: '118px', quiet: true, cell: (cookie) => expiryText(cookie, now) },
    {
      key: 'marks',
      title: 'Sent',
      width: 'minmax(90px, 0.8fr)',
      quiet: true,
      cell: ({ httpOnly, secure, sameSite, partition }) => {
        const marks = [httpOnly && 'HttpOnly', secure && 'Secure', sameSite, partition && `under ${partition}`]
        const text = marks.filter(Boolean).join(', ') || '–'
        return <span title={text}>{text}</span>
      },
    },
    {
      key: 'tools',
      title: 'What can be done',
      width: '76px',
      sortable: false,
      plain: true,
      cell: (cookie) => (
        <RowTools>
          <IconButton
            label={why === undefined ? `Change ${cookie.name}` : `Change ${cookie.name}: ${why}`}
            icon={<Pencil size={14} aria-hidden />}
            disabled={why !== undefined}
            data-testid={`cookie-edit-${cookie.name}`}
            onClick={() => edit(cookie)}
          />
          <IconButton
            label={why === undefined ? `Delete ${cookie.name}` : `Delete ${cookie.name}: ${why}`}
            icon={<Trash2 size={14} aria-hidden />}
            disabled={why !== undefined}
            data-testid={`cookie-delete-${cookie.name}`}
            onClick={() => remove(cookie)}
          />
        </RowTools>
      ),
    },
  ]
  return all.filter((column) => column !== false)
}
