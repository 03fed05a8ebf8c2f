import { FileText } from 'lucide-react'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Empty, Page } from '../ui/page.tsx'
import { useAcceptTerms } from './use-accept-terms.ts'
import { t } from '../t.ts'

/** Replaces a page that the account cannot use yet. */
export function TermsGate() {
  const accept = useAcceptTerms()
  return (
    <Page
      title={t('Before you start')}
      lead={t('Every account has to accept the Terms of Service of this gateway once.')}
    >
      <Empty
        icon={FileText}
        title={t('Accept the Terms to go on')}
        actions={
          <>
            <ButtonLink to="/settings/terms">{t('Read the Terms')}</ButtonLink>
            <Button look="primary" busy={accept.isPending} onClick={() => accept.mutate()}>
              {t('Accept the Terms')}
            </Button>
          </>
        }
      >
        {t('Until then every request of this account is answered with 403.')}
      </Empty>
    </Page>
  )
}
