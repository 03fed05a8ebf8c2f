import { useQuery } from '@tanstack/react-query'
import type { Terms } from '../api/records.ts'
import { termsQuery } from '../api/terms.ts'
import { useVisitor } from '../api/use-visitor.ts'
import { Button } from '../ui/button.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Facts, Page, Section } from '../ui/page.tsx'
import { ExactTime } from '../ui/time.tsx'
import { useAcceptTerms } from './use-accept-terms.ts'
import { t } from '../t.ts'

export function TermsPage() {
  const terms = useQuery(termsQuery)
  return (
    <Page title={t('Terms of Service')} lead={t('Accepted once per account, here or with POST /v1/tos/accept.')}>
      <Loaded query={terms} skeleton={<div aria-hidden className="skeleton h-40" />}>
        {shown => <Details terms={shown} />}
      </Loaded>
    </Page>
  )
}

function Details({ terms }: { terms: Terms }) {
  const { account } = useVisitor()
  const accept = useAcceptTerms()
  return (
    <div className="max-w-2xl">
      <Section title={t('Version {version}', { version: terms.version })}>
        <Facts
          facts={[
            [
              t('Text'),
              <a
                key="text"
                href="/terms"
                target="_blank"
                rel="noreferrer"
                className="text-accent underline underline-offset-2"
              >
                {t('Read the Terms')}
              </a>,
            ],
            [t('Account'), account.name],
            [t('Accepted'), terms.accepted_at ? <ExactTime key="at" at={terms.accepted_at} /> : t('Not yet')],
          ]}
        />
        {!account.tos_accepted && (
          <div className="mt-5">
            <Button look="primary" busy={accept.isPending} onClick={() => accept.mutate()}>
              {t('Accept the Terms')}
            </Button>
          </div>
        )}
      </Section>
    </div>
  )
}
