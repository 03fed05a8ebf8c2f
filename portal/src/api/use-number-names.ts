import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { showPhone } from '../phone-number.ts'
import { nameOf, phoneOf, sessionsQuery } from './sessions.ts'

/** What people call the number of a record: its label, else its digits. */
export function useNumberNames(): (sessionId: string) => string {
  const sessions = useQuery(sessionsQuery).data
  return useMemo(() => {
    const names = new Map(sessions?.map(session => [session.phone, nameOf(session)]))
    return sessionId => names.get(phoneOf(sessionId)) ?? showPhone(phoneOf(sessionId))
  }, [sessions])
}
