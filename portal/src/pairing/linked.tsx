import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { useEffect } from 'react'
import { bareId, nameOf, sessionsQuery } from '../api/sessions.ts'
import { ButtonLink } from '../ui/button.tsx'
import type { PairingMethod } from '../api/pairings.ts'
import { PairingSteps } from './steps.tsx'
import { t } from '../t.ts'

/** The pairing succeeded: shows what to do next. */
export function Linked({ method, sessionId }: { method: PairingMethod; sessionId: string | undefined }) {
  const queries = useQueryClient()
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: sessionsQuery.queryKey })
    void queries.invalidateQueries({ queryKey: ['stats'] })
  }, [queries])
  const session = useQuery(sessionsQuery).data?.find(({ id }) => bareId(id) === bareId(sessionId ?? ''))
  const connected = session?.state === 'connected'
  const name = session ? nameOf(session) : t('The phone')
  return (
    <div className="flex flex-col items-center gap-4 py-6">
      <span className="grid size-12 place-items-center rounded-full bg-accent text-on-accent">
        <Check size={24} aria-hidden />
      </span>
      <p role="status" className="text-base font-semibold">
        {connected ? t('{name} is connected.', { name }) : t('{name} is linked, and connects now.', { name })}
      </p>
      <PairingSteps method={method} status="linked" connected={connected} />
      <div className="mt-2 flex flex-wrap justify-center gap-2">
        {session && (
          <ButtonLink look="primary" to="/numbers/$id" params={{ id: session.id }}>
            {t('Open the number')}
          </ButtonLink>
        )}
        {session?.platform === 'sandbox' && (
          <ButtonLink to="/phone" search={{ number: session.id }}>
            {t('Write to it from the sandbox phone')}
          </ButtonLink>
        )}
        <ButtonLink to="/numbers">{t('All numbers')}</ButtonLink>
      </div>
    </div>
  )
}
