import { useRouter } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'
import { classes } from './classes.ts'

interface RowLinkProps {
  /** The list that the row belongs to; the details are one step below it. */
  list: '/numbers' | '/messages' | '/requests' | '/deliveries' | '/webhooks' | '/endpoints'
  id: string
  /** The filter of the list; that of the current page if absent. */
  search?: Record<string, string | undefined> | undefined
  title?: string
  className?: string
  children: ReactNode
}

/** The link that opens a row. Lighter than the router's own, because a list draws many of them while it scrolls. */
export function RowLink({ list, id, search, title, className, children }: RowLinkProps) {
  const router = useRouter()
  const open = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    void router.navigate({ to: `${list}/$id`, params: { id }, search: search ?? true })
  }
  return (
    <a
      href={`${list}/${encodeURIComponent(id)}`}
      title={title}
      data-row={id}
      onClick={open}
      className={classes('font-medium', className)}
    >
      {children}
    </a>
  )
}
