import type { MachineView } from '../../../shared/domain/machine.ts'
import { Button } from '../../ui/Button.tsx'
import { diffOf, type EnvDraft } from './draft.ts'
import styles from './Env.module.css'
import { dropDraft } from './env.store.ts'
import type { Env } from './rows.ts'

/** What was changed and is not saved yet, in numbers, and the ways on. */
export function DraftBar({
  draft,
  env,
  machine,
  onReview,
}: {
  draft: EnvDraft
  env: Env
  machine: MachineView
  onReview: () => void
}) {
  const diff = diffOf(draft, env)
  const count = (kind: string) => diff.filter((row) => row.kind === kind).length
  const parts = (['added', 'changed', 'removed'] as const)
    .map((kind) => [count(kind), kind] as const)
    .filter(([number]) => number > 0)
    .map(([number, kind]) => `${number} ${kind}`)
  return (
    <div className={styles.draftBar} role="status" data-testid="env-draft">
      <p>
        Not saved yet: {parts.join(', ') || 'nothing that differs'}.
        {diff.some(({ overtaken }) => overtaken) && ' Someone else has changed some of it meanwhile.'}
      </p>
      <Button variant="ghost" data-testid="env-discard" onClick={() => dropDraft(machine.id)}>
        Discard
      </Button>
      <Button variant="primary" data-testid="env-review" onClick={onReview}>
        Review and save
      </Button>
    </div>
  )
}
