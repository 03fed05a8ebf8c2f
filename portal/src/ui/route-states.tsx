import type { ErrorComponentProps } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { ButtonLink } from './button.tsx'
import { Empty, ErrorNote } from './page.tsx'
import { t } from '../t.ts'

export function NotFound() {
  return (
    <div className="mx-auto max-w-2xl px-4 py-16">
      <h1 className="sr-only">{t('Page not found')}</h1>
      <Empty
        icon={Compass}
        title={t('There is no such page')}
        actions={<ButtonLink to="/">{t('To the overview')}</ButtonLink>}
      >
        {t('The address may be mistyped, or the page has moved.')}
      </Empty>
    </div>
  )
}

export function RouteError({ error, reset }: ErrorComponentProps) {
  return (
    <div className="mx-auto max-w-2xl px-4 py-16">
      <ErrorNote error={error} retry={reset} />
    </div>
  )
}
