import { RefreshCw } from 'lucide-react'
import { ErrorText, type ShownProblem } from '../../ui/ErrorText.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import tools from './tools.module.css'

/** What went wrong with the last question of a panel; nothing while nothing did. */
export function PanelProblem({ problem }: { problem: ShownProblem | null }) {
  if (problem === null) return null
  return (
    <div className={tools.problem}>
      <ErrorText problem={problem} />
    </div>
  )
}

interface LookAgainProps {
  label?: string
  /** What was asked; it turns while an answer is there and the next is awaited. */
  answer: { value: unknown; asking?: boolean; reload: () => Promise<unknown> }
}

export function LookAgain({ label = 'Look again', answer }: LookAgainProps) {
  return (
    <IconButton
      label={label}
      icon={<RefreshCw size={14} aria-hidden />}
      busy={answer.asking === true && answer.value !== null}
      onClick={() => void answer.reload()}
    />
  )
}
