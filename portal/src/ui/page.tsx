import { AlertTriangle, type LucideIcon, RotateCw } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { errorText, requestIdOf } from '../error-text.ts'
import { Button } from './button.tsx'
import { t } from '../t.ts'

interface PageProps {
  title: string
  /** One line of what the page is for. */
  lead: ReactNode
  action?: ReactNode
  filters?: ReactNode
  children: ReactNode
}

export function Page({ title, lead, action, filters, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Postern`
  }, [title])
  return (
    <div className="mx-auto w-full max-w-[1600px] min-[2400px]:max-w-[2000px] px-4 py-6 sm:px-8 sm:py-8">
      <header className="mb-5 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-72">
          <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
          <p className="mt-1 text-muted">{lead}</p>
        </div>
        {action && <div className="flex flex-wrap gap-2">{action}</div>}
      </header>
      {filters && (
        <div data-filter className="mb-4 flex flex-wrap items-end gap-2 max-sm:grid max-sm:grid-cols-2">
          {filters}
        </div>
      )}
      {children}
    </div>
  )
}

interface EmptyProps {
  icon: LucideIcon
  title: string
  children?: ReactNode
  actions?: ReactNode
}

/** Nothing here yet: says what would be here, and how to get it. */
export function Empty({ icon: Icon, title, children, actions }: EmptyProps) {
  return (
    <div className="card flex flex-col items-center px-6 py-14 text-center">
      <span className="mb-4 grid size-11 place-items-center rounded-xl bg-accent-soft text-accent-strong">
        <Icon size={20} aria-hidden />
      </span>
      <h2 className="text-base font-semibold">{title}</h2>
      <div className="mt-1.5 w-full max-w-xl leading-relaxed text-muted">{children}</div>
      {actions && <div className="mt-5 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  )
}

/** Something could not be read: says what, and offers to try again. */
export function ErrorNote({ error, retry }: { error: unknown; retry?: () => unknown }) {
  const requestId = requestIdOf(error)
  return (
    <div role="alert" className="card flex flex-wrap items-center gap-3 border-danger/40 px-4 py-3.5">
      <AlertTriangle size={18} aria-hidden className="shrink-0 text-danger" />
      <div className="min-w-0 flex-1 break-words">
        <p>{errorText(error)}</p>
        {requestId && <p className="font-mono text-xs text-muted">{requestId}</p>}
      </div>
      {retry && (
        <Button small icon={RotateCw} onClick={() => void retry()}>
          {t('Try again')}
        </Button>
      )}
    </div>
  )
}

interface NoticeProps {
  tone: 'waiting' | 'bad' | 'calm'
  children: ReactNode
}

export function Notice({ tone, children }: NoticeProps) {
  const look = {
    waiting: 'bg-waiting-soft text-waiting',
    bad: 'bg-danger-soft text-danger',
    calm: 'bg-calm-soft text-calm',
  }[tone]
  return <div className={`rounded-lg px-3.5 py-2.5 leading-relaxed ${look}`}>{children}</div>
}

export function Section({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <section className="card">
      <header className="flex min-h-12 flex-wrap items-center justify-between gap-2 border-b px-5 py-2">
        <h2 className="font-semibold">{title}</h2>
        {action}
      </header>
      <div className="px-5 py-4">{children}</div>
    </section>
  )
}

export function Facts({ facts }: { facts: readonly [string, ReactNode][] }) {
  return (
    <dl className="grid grid-cols-[minmax(96px,auto)_1fr] gap-x-4 gap-y-2 text-[13px]">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
