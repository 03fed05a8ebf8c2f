import { queryOptions } from '@tanstack/react-query'
import { api, take } from './client.ts'

/** The deliveries about a message, oldest first. */
export const trailQuery = (messageId: string) =>
  queryOptions({
    queryKey: ['trail', messageId],
    queryFn: async () =>
      (await take(api.GET('/v1/messages/{id}/deliveries', { params: { path: { id: messageId } } }))).data,
  })

/** The sent message that a delivery is about, or null. */
export const deliveryMessageQuery = (deliveryId: string) =>
  queryOptions({
    queryKey: ['delivery-message', deliveryId],
    queryFn: async () =>
      (await take(api.GET('/v1/deliveries/{id}/message', { params: { path: { id: deliveryId } } }))).message_id,
    staleTime: Number.POSITIVE_INFINITY,
  })
