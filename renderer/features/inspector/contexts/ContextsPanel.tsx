import { FolderClosed, Play, Plus, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { CallResult } from '../../../../shared/contract/index.ts'
import { callAgent } from '../../../app/bridge.ts'
import { useBusy, work } from '../../../app/work.ts'
import { Age } from '../../../ui/Age.tsx'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Input } from '../../../ui/Field.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { useSort } from '../../../ui/useSort.ts'
import { isReachable } from '../../machine/reach.ts'
import { formatBytes } from '../capture/capture.ts'
import { LookAgain, PanelProblem } from '../PanelParts.tsx'
import type { PanelProps } from '../panels.tsx'
import { RowTools } from '../RowTools.tsx'
import tools from '../tools.module.css'
import { useAnswer } from '../useAnswer.ts'
import { deleteContext, startWith, whyNotStart } from './operations.ts'

type Context = CallResult<'contexts.list'>['contexts'][number]
type Key = 'name' | 'size' | 'created' | 'tools'

const sorts: Partial<Record<Key, (context: Context) => string | number>> = {
  name: ({ name }) => name,
  size: ({ sizeBytes }) => sizeBytes,
  created: ({ createdAt }) => createdAt,
}

/** The browser's named profiles: cookies, storage and logins that a start can go on from. */
export function ContextsPanel({ machine }: PanelProps) {
  const running = machine.browser?.state
  const answer = useAnswer(
    machine.id,
    'contexts.list',
    {},
    {
      when: isReachable(machine),
      again: `${running} ${machine.browser?.contextId}`,
    },
  )
  const [name, setName] = useState('')
  const creating = useBusy(`contexts:${machine.id}`)
  const contexts = answer.value?.contexts ?? []
  const { rows, sort, onSort } = useSort<Context, Key>(contexts, sorts)
  const create = async (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '') return
    const done = await work(`contexts:${machine.id}`, 'Making the context', async () => {
      await callAgent(machine.id, 'contexts.create', { name: name.trim() })
      await answer.reload()
    })
    if (done) setName('')
  }
  const starting = useBusy(`browser:${machine.id}`)
  const columns: Column<Context, Key>[] = [
    {
      key: 'name',
      title: 'Name',
      width: 'minmax(160px, 2fr)',
      cell: (context) => (
        <>
          <strong title={context.id}>{context.name}</strong> {context.inUse && <Badge tone="up">In use</Badge>}
        </>
      ),
    },
    { key: 'size', title: 'Size', width: '110px', quiet: true, cell: ({ sizeBytes }) => formatBytes(sizeBytes) },
    {
      key: 'created',
      title: 'Made',
      width: 'minmax(110px, 1fr)',
      quiet: true,
      cell: ({ createdAt }) => <Age at={createdAt} />,
    },
    {
      key: 'tools',
      title: 'What can be done',
      width: '84px',
      sortable: false,
      plain: true,
      cell: (context) => {
        const whyNot = whyNotStart(machine, context)
        return (
          <RowTools>
            <IconButton
              label={
                whyNot === undefined
                  ? `${running === 'active' ? 'Restart' : 'Start'} the browser with ${context.name}`
                  : `Start with ${context.name}: ${whyNot}`
              }
              icon={<Play size={14} aria-hidden />}
              disabled={whyNot !== undefined}
              busy={starting && whyNot === undefined}
              data-testid={`context-start-${context.name}`}
              onClick={() => startWith(machine, context)}
            />
            <IconButton
              label={
                context.inUse
                  ? `${context.name} is in use: stop the browser or start it with another first`
                  : `Delete ${context.name}`
              }
              icon={<Trash2 size={14} aria-hidden />}
              disabled={context.inUse}
              data-testid={`context-delete-${context.name}`}
              onClick={() => deleteContext(machine, context, answer.reload)}
            />
          </RowTools>
        )
      },
    },
  ]
  return (
    <div className={tools.panel} data-testid="contexts-panel">
      <div className={tools.bar}>
        <form className={tools.inline} onSubmit={create} aria-label="A new context">
          <Input
            aria-label="Name of a new context"
            placeholder="Name of a new context"
            maxLength={100}
            value={name}
            data-testid="context-name"
            onChange={(event) => setName(event.target.value)}
          />
          <Button
            type="submit"
            icon={<Plus size={15} aria-hidden />}
            busy={creating}
            disabled={name.trim() === ''}
            data-testid="context-create"
          >
            Create
          </Button>
        </form>
        <span className={tools.end}>
          <span className={tools.why}>
            {contexts.length} {contexts.length === 1 ? 'context' : 'contexts'},{' '}
            {formatBytes(contexts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0))}
          </span>
          <LookAgain answer={answer} />
        </span>
      </div>
      <PanelProblem problem={answer.problem} />
      <div className={`${tools.body} ${tools.flat}`}>
        <Table
          label={`Contexts on ${machine.name}`}
          testId="contexts-table"
          columns={columns}
          rows={rows}
          rowId={({ id }) => id}
          sort={sort}
          onSort={onSort}
          onOpen={() => {}}
          empty={
            <EmptyState
              icon={<FolderClosed size={26} aria-hidden />}
              title={answer.value === null ? (answer.asking ? 'Looking…' : 'Not known') : 'No contexts'}
              text={
                answer.value === null ? undefined : 'The first start of the browser makes one; others are made here.'
              }
            />
          }
        />
      </div>
    </div>
  )
}
