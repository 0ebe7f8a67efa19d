import { TriangleAlert } from 'lucide-react'
import { Component, type ErrorInfo, type ReactNode } from 'react'
import { Button } from '../ui/Button.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'

interface BoundaryState {
  error: Error | null
  where: string
}

/** A bug in one screen leaves the rest of the window usable, and can be reported. */
export class ErrorBoundary extends Component<{ children: ReactNode }, BoundaryState> {
  override state: BoundaryState = { error: null, where: '' }

  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  override componentDidCatch(_error: unknown, info: ErrorInfo): void {
    this.setState({ where: info.componentStack ?? '' })
  }

  override render(): ReactNode {
    const { error, where } = this.state
    if (error === null) return this.props.children
    return (
      <EmptyState
        icon={<TriangleAlert size={28} aria-hidden />}
        title="This screen broke"
        text={`${error.message}. Machines are not affected. Reload the window; if it happens again, copy the details into a bug report.`}
        action={
          <>
            <Button variant="primary" onClick={() => window.location.reload()}>
              Reload
            </Button>{' '}
            <CopyButton wordy label="Copy details" text={`${error.stack ?? error.message}\n${where}`} />
          </>
        }
      />
    )
  }
}
