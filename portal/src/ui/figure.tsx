import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { classes } from './classes.ts'

interface FigureProps {
  name: string
  /** Absent while it is not known yet. */
  value: string | undefined
  note?: ReactNode
  bad?: boolean
  /** The list that the figure counts. */
  link?: LinkProps
}

/** One number to see at a glance. */
export function Figure({ name, value, note, bad, link }: FigureProps) {
  const content = (
    <>
      <p className="text-[13px] text-muted">{name}</p>
      <p className={classes('mt-1 text-2xl font-semibold tracking-tight', bad && 'text-danger')}>
        {value ?? <span className="skeleton inline-block h-7 w-16 align-middle" />}
      </p>
      <p className="mt-0.5 min-h-5 text-[13px] text-muted">{note}</p>
    </>
  )
  if (link === undefined) return <div className="card p-4">{content}</div>
  return (
    <Link {...link} className="card block p-4 hover:border-line-strong">
      {content}
    </Link>
  )
}
