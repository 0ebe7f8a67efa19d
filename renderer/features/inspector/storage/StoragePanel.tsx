import { Archive, Cookie, Database, HardDrive, Lock, Timer } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { ErrorText } from '../../../ui/ErrorText.tsx'
import type { PanelProps } from '../panels.tsx'
import { useSnapshot } from '../sessions.ts'
import { TakeOverButton, whyReadOnly } from '../takeOver.tsx'
import tools from '../tools.module.css'
import type { StorageKind, StorageOwner } from './areas.ts'
import { CookiesView } from './CookiesView.tsx'
import { KeptView, kindTitles } from './KeptView.tsx'
import { useOwners } from './useStorage.ts'

const icons: Record<StorageKind, ReactNode> = {
  local: <HardDrive size={14} aria-hidden />,
  session: <Timer size={14} aria-hidden />,
  databases: <Database size={14} aria-hidden />,
  caches: <Archive size={14} aria-hidden />,
}
const kinds: readonly StorageKind[] = ['local', 'session', 'databases', 'caches']

type Chosen = 'cookies' | 'locked' | { key: string; kind: StorageKind }

/** What the browser keeps for pages: cookies for every site, and each origin's own storage. */
export function StoragePanel({ machine, session }: PanelProps) {
  const { tab, mine, phase } = useSnapshot(session)
  const [chosen, setChosen] = useState<Chosen>('cookies')
  const owners = useOwners(session, mine && phase === 'open', `${tab?.id ?? ''} ${tab?.url ?? ''}`)
  const owner = typeof chosen === 'object' ? owners.value?.find(({ key }) => key === chosen.key) : undefined
  const kind = typeof chosen === 'object' ? chosen.kind : 'local'
  return (
    <div className={tools.split} data-testid="storage-panel">
      <nav className={tools.side} aria-label="Kinds of storage">
        <button type="button" aria-pressed={chosen === 'cookies'} onClick={() => setChosen('cookies')}>
          <Cookie size={14} aria-hidden /> Cookies
        </button>
        {mine ? (
          (owners.value ?? []).map((one) => (
            <OwnerKinds key={one.key} owner={one} chosen={chosen} onChoose={setChosen} />
          ))
        ) : (
          <button type="button" aria-pressed={chosen !== 'cookies'} onClick={() => setChosen('locked')}>
            <Lock size={14} aria-hidden /> Page storage
          </button>
        )}
        {owners.problem !== null && <ErrorText problem={owners.problem} />}
      </nav>
      <div className={tools.panel}>
        {chosen === 'cookies' || (mine && owner === undefined && chosen === 'locked') ? (
          <CookiesView machine={machine} url={tab?.url ?? null} />
        ) : !mine ? (
          <EmptyState
            icon={<Lock size={26} aria-hidden />}
            title="Control shows what pages keep"
            text={`Local storage, session storage, databases and caches often hold logins: whoever only watches does not see them (${whyReadOnly(machine) ?? ''}).`}
            action={<TakeOverButton machine={machine} />}
          />
        ) : owner === undefined ? (
          <EmptyState
            icon={icons[kind]}
            title="That origin is no longer on the page"
            text="Choose another on the left."
          />
        ) : (
          <KeptView key={`${owner.key} ${kind}`} machine={machine} session={session} owner={owner} kind={kind} />
        )}
      </div>
    </div>
  )
}

interface OwnerKindsProps {
  owner: StorageOwner
  chosen: Chosen
  onChoose: (chosen: Chosen) => void
}

function OwnerKinds({ owner, chosen, onChoose }: OwnerKindsProps) {
  return (
    <>
      <p title={owner.partitioned ? `${owner.origin}, in a frame of this page` : owner.origin}>
        {owner.origin.replace(/^https?:\/\//, '')}
      </p>
      {kinds.map((kind) => (
        <button
          key={kind}
          type="button"
          aria-pressed={typeof chosen === 'object' && chosen.key === owner.key && chosen.kind === kind}
          data-testid={`storage-${kind}`}
          onClick={() => onChoose({ key: owner.key, kind })}
        >
          {icons[kind]} {kindTitles[kind]}
        </button>
      ))}
    </>
  )
}
