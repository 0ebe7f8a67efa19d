import { TriangleAlert } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { CopyButton } from './CopyButton.tsx'
import styles from './ErrorText.module.css'

export interface ShownProblem {
  title: string
  /** What happened here, and the next step. */
  detail: string
  code: string
  requestId?: string | undefined
}

/** A problem as one text, for a bug report. */
export function problemText(problem: ShownProblem): string {
  const request = problem.requestId === undefined ? '' : ` request ${problem.requestId}`
  return `${problem.title}\n${problem.detail}\n[${problem.code}${request}]`
}

/** What went wrong, what to do next, and a way to copy it. */
export function ErrorText({ problem }: { problem: ShownProblem }) {
  return (
    <div role="alert" className={styles.error} data-testid="problem">
      <TriangleAlert size={15} aria-hidden />
      <div className={styles.text}>
        <p className={styles.title}>{problem.title}</p>
        {problem.detail !== problem.title && <p>{problem.detail}</p>}
        <p className={styles.code}>{problem.code}</p>
      </div>
      <CopyButton text={problemText(problem)} label="Copy the problem" />
    </div>
  )
}

/** The same at the end of a form, which may be longer than its dialog: it is brought into sight. */
export function FormProblem({ problem }: { problem: ShownProblem }) {
  const place = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another problem is another reason to look there
  useEffect(() => place.current?.scrollIntoView({ block: 'center' }), [problem])
  return (
    <div ref={place}>
      <ErrorText problem={problem} />
    </div>
  )
}
