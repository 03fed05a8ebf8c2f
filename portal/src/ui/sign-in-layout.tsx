import { type ReactNode, useEffect } from 'react'
import { t } from '../t.ts'

interface SignInLayoutProps {
  title: string
  /** Of the gateway; absent while it is not known yet. */
  version: string | undefined
  children: ReactNode
  foot?: ReactNode
}

/** The frame of the pages before the sign-in. */
export function SignInLayout({ title, version, children, foot }: SignInLayoutProps) {
  useEffect(() => {
    document.title = `${title} · Postern`
  }, [title])
  return (
    <main className="grid min-h-dvh place-items-center px-4 py-10">
      <div className="w-full max-w-sm">
        <div className="mb-6 flex items-center gap-3">
          <img src="/favicon.svg" alt="" width="36" height="36" />
          <span className="text-lg font-semibold tracking-tight">Postern</span>
        </div>
        <div className="card p-6">
          <h1 className="mb-5 text-xl font-semibold tracking-tight">{title}</h1>
          {children}
        </div>
        <div className="mt-4 flex min-h-6 justify-between gap-4 text-[13px] text-muted">
          <span>{foot}</span>
          <span>{version ? t('Version {version}', { version }) : ''}</span>
        </div>
      </div>
    </main>
  )
}
