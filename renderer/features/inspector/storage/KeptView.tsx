import { Database, Eraser, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { MachineView } from '../../../../shared/domain/machine.ts'
import { confirm } from '../../../app/ui.store.ts'
import { useBusy, work } from '../../../app/work.ts'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { SearchField } from '../../../ui/SearchField.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { useSort } from '../../../ui/useSort.ts'
import { LookAgain, PanelProblem } from '../PanelParts.tsx'
import { RowTools } from '../RowTools.tsx'
import type { InspectorSession } from '../session.ts'
import tools from '../tools.module.css'
import { type Entry, type StorageKind, type StorageOwner, storageId } from './areas.ts'
import { EditEntry } from './EditEntry.tsx'
import { useKept } from './useStorage.ts'

type Key = 'key' | 'value' | 'tools'

const sorts: Partial<Record<Key, (entry: Entry) => string>> = { key: ([key]) => key, value: ([, value]) => value }

export const kindTitles: Record<StorageKind, string> = {
  local: 'Local storage',
  session: 'Session storage',
  databases: 'IndexedDB',
  caches: 'Caches',
}

interface KeptViewProps {
  machine: MachineView
  session: InspectorSession
  owner: StorageOwner
  kind: StorageKind
}

/** What one origin keeps in the browser. Pairs can be changed; databases and caches are named. */
export function KeptView({ machine, session, owner, kind }: KeptViewProps) {
  const kept = useKept(session, true, owner, kind)
  const [query, setQuery] = useState('')
  const [editing, setEditing] = useState<Entry | 'new' | null>(null)
  const busy = useBusy(`storage:${machine.id}`)
  const pairs = kind === 'local' || kind === 'session'
  const id = storageId(owner, kind)
  const words = query.trim().toLowerCase()
  const found = (kept.value ?? []).filter((entry) => entry.some((text) => text.toLowerCase().includes(words)))
  const { rows, sort, onSort } = useSort<Entry, Key>(found, sorts)
  const change = (what: string, method: string, params: Record<string, unknown>) =>
    work(`storage:${machine.id}`, what, async () => {
      await session.control(method, { storageId: id, ...params }, { frame: owner.frame })
      await kept.reload()
    })
  const clear = () =>
    confirm({
      title: `Clear the ${kindTitles[kind].toLowerCase()} of ${owner.origin}?`,
      text: `Everything the page keeps there in the browser on ${machine.name} is gone: logins, drafts, settings.`,
      action: 'Clear storage',
      run: () => change('Clearing the storage', 'DOMStorage.clear', {}),
    })
  const columns: Column<Entry, Key>[] = [
    {
      key: 'key',
      title: pairs ? 'Key' : 'Name',
      width: 'minmax(120px, 1fr)',
      mono: true,
      cell: ([key]) => <span title={key}>{key}</span>,
    },
    ...(pairs
      ? ([
          {
            key: 'value',
            title: 'Value',
            width: 'minmax(140px, 2fr)',
            mono: true,
            quiet: true,
            cell: ([, value]) => <span title={value.slice(0, 2000)}>{value.slice(0, 2000)}</span>,
          },
          {
            key: 'tools',
            title: 'What can be done',
            width: '76px',
            sortable: false,
            plain: true,
            cell: (entry) => (
              <RowTools>
                <IconButton
                  label={`Change ${entry[0]}`}
                  icon={<Pencil size={14} aria-hidden />}
                  data-testid={`entry-edit-${entry[0]}`}
                  onClick={() => setEditing(entry)}
                />
                <IconButton
                  label={`Delete ${entry[0]}`}
                  icon={<Trash2 size={14} aria-hidden />}
                  data-testid={`entry-delete-${entry[0]}`}
                  onClick={() => void change('Deleting it', 'DOMStorage.removeDOMStorageItem', { key: entry[0] })}
                />
              </RowTools>
            ),
          },
        ] satisfies Column<Entry, Key>[])
      : []),
  ]
  return (
    <>
      <div className={tools.bar}>
        <SearchField label="Search the storage" placeholder="Key or value" value={query} onChange={setQuery} />
        <span className={tools.end}>
          <LookAgain label="Read it again" answer={kept} />
          {pairs && (
            <>
              <Button
                icon={<Eraser size={15} aria-hidden />}
                disabled={rows.length === 0}
                data-testid="storage-clear"
                onClick={clear}
              >
                Clear
              </Button>
              <Button
                icon={<Plus size={15} aria-hidden />}
                busy={busy}
                data-testid="entry-add"
                onClick={() => setEditing('new')}
              >
                Add
              </Button>
            </>
          )}
        </span>
      </div>
      <PanelProblem problem={kept.problem} />
      <div className={`${tools.body} ${tools.flat}`}>
        <Table
          label={`${kindTitles[kind]} of ${owner.origin}`}
          testId="storage-table"
          columns={columns}
          rows={rows}
          rowId={([key]) => key}
          sort={sort}
          onSort={onSort}
          onOpen={(entry) => pairs && setEditing(entry)}
          empty={
            <EmptyState
              icon={<Database size={26} aria-hidden />}
              title={kept.value === null ? (kept.problem === null ? 'Reading…' : 'Not known') : 'Nothing is kept there'}
            />
          }
        />
      </div>
      <EditEntry
        title={kindTitles[kind].toLowerCase()}
        editing={editing}
        onClose={() => setEditing(null)}
        onSave={(key, value) => change('Writing it', 'DOMStorage.setDOMStorageItem', { key, value })}
      />
    </>
  )
}
