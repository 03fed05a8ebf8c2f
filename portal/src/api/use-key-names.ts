import { useQuery } from '@tanstack/react-query'
import { api, take } from './client.ts'
import { t } from '../t.ts'

const keyNames = {
  queryKey: ['keys', 'names'],
  queryFn: async () => (await take(api.GET('/v1/keys', { params: { query: { limit: 100 } } }))).data,
}

/** How the log names a command on the gateway's own machine, which needs no key. */
const COMMAND_LINE = 'command_line'

/** The labels of the keys, by id. */
export function useKeyNames(): ReadonlyMap<string, string> {
  const { data = [] } = useQuery(keyNames)
  return new Map([...data.map(({ id, label }) => [id, label] as const), [COMMAND_LINE, t('Command line')]])
}
