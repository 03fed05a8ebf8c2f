import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { bareId, nameAndPhone, phoneOf, sessionsQuery } from '../api/sessions.ts'
import { Page } from '../ui/page.tsx'
import { rich } from '../rich.ts'
import { t } from '../t.ts'
import { showPhone } from '../phone-number.ts'

const TABS = [
  { to: '/numbers/$id/chats', name: t('Chats') },
  { to: '/numbers/$id/groups', name: t('Groups') },
  { to: '/numbers/$id/channels', name: t('Channels') },
] as const

interface FrameProps {
  id: string
  title: string
  action?: ReactNode
  children: ReactNode
}

/** A page of one number, beside its other pages. */
export function NumberFrame({ id, title, action, children }: FrameProps) {
  const session = useQuery(sessionsQuery).data?.find(each => bareId(each.id) === bareId(id))
  const name = session ? nameAndPhone(session) : showPhone(phoneOf(id))
  return (
    <Page
      title={title}
      lead={rich('Of the number {name}.', {
        name: (
          <Link to="/numbers/$id" params={{ id }} className="text-accent underline underline-offset-2">
            {name}
          </Link>
        ),
      })}
      action={action}
    >
      <nav aria-label={t('Of this number')} className="mb-4 flex">
        <span className="inline-flex max-w-full rounded-lg border border-line-strong bg-surface p-0.5">
          {TABS.map(tab => (
            <Link
              key={tab.to}
              to={tab.to}
              params={{ id }}
              className="flex h-7 items-center rounded-md px-2.5 text-[13px] font-medium whitespace-nowrap text-muted hover:text-ink"
              activeProps={{ className: 'bg-accent-soft !text-accent-strong' }}
            >
              {tab.name}
            </Link>
          ))}
        </span>
      </nav>
      {children}
    </Page>
  )
}
