import { queryOptions } from '@tanstack/react-query'
import { api, take } from './client.ts'

export type PairingMethod = 'qr' | 'code'
export type PairingPlatform = 'whatsapp' | 'sandbox'

const OVER: readonly string[] = ['linked', 'failed', 'cancelled', 'expired']
export const isOver = (status: string | undefined): boolean => status !== undefined && OVER.includes(status)

/** The state of a pairing. The live stream reports its steps, and polling covers those that it misses. */
export const pairingQuery = (id: string) =>
  queryOptions({
    queryKey: ['pairing', id],
    queryFn: () => take(api.GET('/v1/pairings/{id}', { params: { path: { id } } })),
    refetchInterval: query => (isOver(query.state.data?.status) ? false : 1_000),
  })

export const cancelPairing = (id: string) => take(api.DELETE('/v1/pairings/{id}', { params: { path: { id } } }))
export const askForNewCode = (id: string) => take(api.POST('/v1/pairings/{id}/code', { params: { path: { id } } }))
export const scanPairing = (id: string) => take(api.POST('/sandbox/pairings/{id}/scan', { params: { path: { id } } }))
