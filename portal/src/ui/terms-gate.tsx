import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { FileText } from 'lucide-react'
import { api, take } from '../api/client.ts'
import { visitorQuery } from '../api/sign-in.ts'
import { Button, ButtonLink } from './button.tsx'
import { Empty, Page } from './page.tsx'
import { toast } from './toast.tsx'

export const termsQuery = { queryKey: ['terms'], queryFn: () => take(api.GET('/v1/tos')) }

/** Accepts the current Terms for the account. */
export function useAcceptTerms() {
  const queries = useQueryClient()
  const { data } = useQuery(termsQuery)
  return useMutation({
    mutationFn: () => take(api.POST('/v1/tos/accept', { body: { version: data?.version ?? '' } })),
    onSuccess: async () => {
      toast.done('The Terms are accepted.')
      await queries.refetchQueries({ queryKey: visitorQuery.queryKey })
      await queries.invalidateQueries()
    },
    onError: toast.failed,
  })
}

/** Stands in for a page that the account cannot use yet. */
export function TermsGate() {
  const accept = useAcceptTerms()
  return (
    <Page title="One thing first" lead="The gateway asks every account to accept its Terms of Service once.">
      <Empty
        icon={FileText}
        title="Accept the Terms to go on"
        actions={
          <>
            <ButtonLink to="/settings/terms">Read the Terms</ButtonLink>
            <Button look="primary" busy={accept.isPending} onClick={() => accept.mutate()}>
              Accept the Terms
            </Button>
          </>
        }
      >
        Until then every request of this account is answered with 403.
      </Empty>
    </Page>
  )
}
