import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, take } from './client.ts'
import { paging } from './paging.ts'
import { bareId } from './sessions.ts'

const PAGE = 100
/** Until the phone has shared its chats. */
const SYNC_MS = 2_000

export const groupsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['groups', bareId(id)],
    queryFn: ({ pageParam }) =>
      take(
        api.GET('/v1/sessions/{id}/groups', { params: { path: { id }, query: { limit: PAGE, cursor: pageParam } } }),
      ),
    ...paging,
  })

export const groupQuery = (id: string, jid: string) =>
  queryOptions({
    queryKey: ['group', bareId(id), jid],
    queryFn: () => take(api.GET('/v1/sessions/{id}/groups/{jid}', { params: { path: { id, jid } } })),
  })

export const chatsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['chats', bareId(id)],
    queryFn: ({ pageParam }) =>
      take(api.GET('/v1/sessions/{id}/chats', { params: { path: { id }, query: { limit: PAGE, cursor: pageParam } } })),
    refetchInterval: ({ state }) => (state.data?.pages[0]?.synced_at === null ? SYNC_MS : false),
    ...paging,
  })

export const channelsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['channels', bareId(id)],
    queryFn: ({ pageParam }) =>
      take(
        api.GET('/v1/sessions/{id}/newsletters', {
          params: { path: { id }, query: { limit: PAGE, cursor: pageParam } },
        }),
      ),
    ...paging,
  })
