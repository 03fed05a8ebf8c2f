import { queryOptions } from '@tanstack/react-query'
import { showPhone } from '../phone-number.ts'
import { api, take } from './client.ts'
import { readAll } from './paging.ts'
import type { Session } from './records.ts'

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: () => readAll(cursor => take(api.GET('/v1/sessions', { params: { query: { limit: 100, cursor } } }))),
  staleTime: 15_000,
})

export const healthQuery = (id: string) =>
  queryOptions({
    queryKey: ['health', bareId(id)],
    queryFn: () => take(api.GET('/v1/sessions/{id}/health', { params: { path: { id } } })),
    staleTime: 15_000,
  })

/** The id as events carry it: without the device number. */
export const bareId = (sessionId: string): string => sessionId.replace(/:\d+@/, '@')

export const phoneOf = (jid: string): string => jid.split('@')[0]!.split(':')[0]!

/** What people call a number: its label, else its digits. */
export const nameOf = (session: Pick<Session, 'label' | 'phone'>): string => session.label || showPhone(session.phone)
/** The same for lists of numbers, where two may have the same label. */
export const nameAndPhone = (session: Pick<Session, 'label' | 'phone'>): string =>
  session.label ? `${session.label} (${showPhone(session.phone)})` : showPhone(session.phone)

/** A JID as people read it: a phone number as such, anything else in full. */
export const showJid = (jid: string): string => (jid.endsWith('@s.whatsapp.net') ? showPhone(phoneOf(jid)) : jid)
