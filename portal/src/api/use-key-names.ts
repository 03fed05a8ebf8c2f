import { useQuery } from '@tanstack/react-query'
import { api, take } from './client.ts'

const keyNames = {
  queryKey: ['keys', 'names'],
  queryFn: async () => (await take(api.GET('/v1/keys', { params: { query: { limit: 100 } } }))).data,
}

/** What the account calls its keys, by id. */
export function useKeyNames(): ReadonlyMap<string, string> {
  const { data = [] } = useQuery(keyNames)
  return new Map(data.map(({ id, label }) => [id, label]))
}
