import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { classes } from '../ui/classes.ts'

/** A link from one record to another. */
export function RecordLink({ children, mono, ...to }: LinkProps & { children: ReactNode; mono?: boolean }) {
  return (
    <Link
      {...(to as LinkProps)}
      className={classes('break-all text-accent underline underline-offset-2', mono && 'font-mono')}
    >
      {children}
    </Link>
  )
}
