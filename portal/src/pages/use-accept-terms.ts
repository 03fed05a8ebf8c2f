import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, take } from '../api/client.ts'
import { visitorQuery } from '../api/sign-in.ts'
import { termsQuery } from '../api/terms.ts'
import { toast } from '../ui/toast.tsx'
import { t } from '../t.ts'

/** Accepts the current Terms for the account. */
export function useAcceptTerms() {
  const queries = useQueryClient()
  const { data } = useQuery(termsQuery)
  return useMutation({
    mutationFn: () => take(api.POST('/v1/tos/accept', { body: { version: data?.version ?? '' } })),
    onSuccess: async () => {
      toast.done(t('The Terms are accepted.'))
      await queries.refetchQueries({ queryKey: visitorQuery.queryKey })
      await queries.invalidateQueries()
    },
    onError: toast.failed,
  })
}
