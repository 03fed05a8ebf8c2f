import { Link, type LinkProps } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { classes } from './classes.ts'

type Look = 'primary' | 'plain' | 'quiet' | 'danger' | 'quiet-danger'

const LOOKS: Record<Look, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong',
  plain: 'border border-line-strong bg-surface text-ink hover:bg-raised',
  quiet: 'text-muted hover:bg-raised hover:text-ink',
  'quiet-danger': 'text-danger hover:bg-danger-soft',
  danger: 'bg-danger text-on-danger hover:opacity-90',
}

const shape = (look: Look, small: boolean | undefined) =>
  classes(
    'inline-flex shrink-0 items-center justify-center gap-2 rounded-lg font-medium whitespace-nowrap',
    'disabled:cursor-not-allowed disabled:opacity-50',
    small ? 'h-8 px-2.5 text-[13px]' : 'h-9 px-3.5',
    LOOKS[look],
  )

interface ButtonProps extends ComponentProps<'button'> {
  look?: Look
  small?: boolean
  icon?: LucideIcon
  /** Shows that the action is running, and prevents a second click. */
  busy?: boolean
}

export function Button({ look = 'plain', small, icon: Icon, busy, children, className, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={busy || rest.disabled}
      aria-busy={busy}
      className={classes(shape(look, small), className)}
    >
      {Icon && <Icon size={16} aria-hidden />}
      {children}
    </button>
  )
}

interface ButtonLinkProps extends LinkProps {
  look?: Look
  small?: boolean
  icon?: LucideIcon
  children: ReactNode
}

export function ButtonLink({ look = 'plain', small, icon: Icon, children, ...rest }: ButtonLinkProps) {
  return (
    <Link {...(rest as LinkProps)} className={shape(look, small)}>
      {Icon && <Icon size={16} aria-hidden />}
      {children}
    </Link>
  )
}

interface IconButtonProps extends ComponentProps<'button'> {
  label: string
  icon: LucideIcon
}

export function IconButton({ label, icon: Icon, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={classes(
        'inline-grid size-8 shrink-0 place-items-center rounded-lg text-muted hover:bg-raised hover:text-ink disabled:opacity-40',
        className,
      )}
    >
      <Icon size={16} aria-hidden />
    </button>
  )
}
