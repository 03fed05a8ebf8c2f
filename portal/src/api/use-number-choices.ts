import { useQuery } from '@tanstack/react-query'
import { bareId, nameOf, sessionsQuery } from './sessions.ts'
import { t } from '../t.ts'

/** The numbers of the account, to narrow a list by. */
export function useNumberChoices(): { value: string; label: string }[] {
  const sessions = useQuery(sessionsQuery).data ?? []
  return [
    { value: '', label: t('All numbers') },
    ...sessions.map(session => ({ value: bareId(session.id), label: nameOf(session) })),
  ]
}
