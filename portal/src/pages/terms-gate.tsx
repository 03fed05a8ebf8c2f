import { FileText } from 'lucide-react'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Empty, Page } from '../ui/page.tsx'
import { useAcceptTerms } from './use-accept-terms.ts'

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
