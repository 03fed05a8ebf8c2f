import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { useEffect } from 'react'
import { bareId, nameOf, sessionsQuery } from '../api/sessions.ts'
import type { PairingMethod } from '../api/pairings.ts'
import type { Pairing } from '../api/records.ts'
import { ButtonLink } from '../ui/button.tsx'
import { CopyId } from '../ui/copy.tsx'
import { PairingSteps } from './steps.tsx'
import { t } from '../t.ts'

/** The pairing succeeded: shows what to do next. */
export function Linked({ method, pairing }: { method: PairingMethod; pairing: Pairing }) {
  const { session_id: sessionId = '', history_job_id: historyJob } = pairing
  const queries = useQueryClient()
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: sessionsQuery.queryKey })
    void queries.invalidateQueries({ queryKey: ['stats'] })
  }, [queries])
  const session = useQuery(sessionsQuery).data?.find(({ id }) => bareId(id) === bareId(sessionId))
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
      {historyJob && (
        <div className="flex max-w-md flex-wrap items-center justify-center gap-x-1 text-center text-[13px] text-muted">
          <p>{t('The history arrives over the next minutes. The API shows how far it is, by the id of the job:')}</p>
          <CopyId id={historyJob} />
        </div>
      )}
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
