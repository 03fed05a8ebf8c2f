import { queryOptions } from '@tanstack/react-query'
import { ApiError, api, take } from '../api/client.ts'

const WATCH_AGAIN_MS = 30_000
const LOOK_AGAIN_MS = 3_000

/** While the page polls this, the gateway briefly keeps the full bodies of the sandbox number's deliveries. */
export const watchQuery = (sessionId: string, webhookId: string | undefined) =>
  queryOptions({
    queryKey: ['watch', sessionId, webhookId],
    queryFn: () => take(api.POST('/sandbox/sessions/{id}/watch', { params: { path: { id: sessionId } } })),
    enabled: webhookId !== undefined,
    refetchInterval: WATCH_AGAIN_MS,
    gcTime: 0,
  })

/** The exact body of a delivery; `null` if it is not stored. */
export const bodyQuery = (deliveryId: string) =>
  queryOptions({
    queryKey: ['sandbox-body', deliveryId],
    queryFn: async () => {
      try {
        return (await take(api.GET('/sandbox/deliveries/{id}', { params: { path: { id: deliveryId } } }))).body
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null
        throw error
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

/** The simulated conditions of a number and of one of its contacts. */
export const conditionsQuery = (sessionId: string, contact: string) =>
  queryOptions({
    queryKey: ['conditions', sessionId, contact],
    queryFn: () =>
      take(api.GET('/sandbox/sessions/{id}/conditions', { params: { path: { id: sessionId }, query: { contact } } })),
    refetchInterval: LOOK_AGAIN_MS,
  })
