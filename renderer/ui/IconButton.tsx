import type { ReactNode } from 'react'
import { Button, type ButtonProps } from './Button.tsx'
import { Kbd } from './Kbd.tsx'
import { Tooltip } from './Tooltip.tsx'

interface IconButtonProps extends Omit<ButtonProps, 'size' | 'icon' | 'children' | 'aria-label'> {
  label: string
  icon: ReactNode
  keys?: string | undefined
}

/** A button that is only an icon: its label is the tooltip and the accessible name. */
export function IconButton({ label, icon, keys, variant = 'ghost', ...rest }: IconButtonProps) {
  return (
    <Tooltip
      text={
        <>
          {label} {keys !== undefined && <Kbd keys={keys} />}
        </>
      }
    >
      <Button {...rest} variant={variant} size="icon" icon={icon} aria-label={label} />
    </Tooltip>
  )
}
