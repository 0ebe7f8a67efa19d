import { Check, Copy } from 'lucide-react'
import { createContext, useContext, useEffect, useState } from 'react'
import { Button } from './Button.tsx'
import { IconButton } from './IconButton.tsx'

/** How text reaches the clipboard is the app's affair; it provides it once. */
export const CopyContext = createContext<(text: string) => Promise<void>>(async () => {})

interface CopyButtonProps {
  text: string
  label: string
  /** Words beside the icon. */
  wordy?: boolean
}

/** Copies a text and says so for a moment. */
export function CopyButton({ text, label, wordy = false }: CopyButtonProps) {
  const copy = useContext(CopyContext)
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1600)
    return () => clearTimeout(timer)
  }, [copied])
  const icon = copied ? <Check size={15} aria-hidden /> : <Copy size={15} aria-hidden />
  const press = () => {
    copy(text).then(
      () => setCopied(true),
      () => setCopied(false),
    )
  }
  if (wordy) {
    return (
      <Button variant="ghost" icon={icon} onClick={press}>
        {copied ? 'Copied' : label}
      </Button>
    )
  }
  return <IconButton label={copied ? 'Copied' : label} icon={icon} onClick={press} />
}
