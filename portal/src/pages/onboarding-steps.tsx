import type { ReactNode } from 'react'
import type { Milestones } from '../api/use-milestones.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { useAcceptTerms } from './use-accept-terms.ts'
import { t } from '../t.ts'

export type StepDialog = 'number' | 'key' | 'send'

export interface Step {
  to: keyof Milestones
  title: string
  why: string
  act: ReactNode
}

/** The steps to the first delivery, each with its action. */
export const stepsOf = (sandbox: boolean, open: (dialog: StepDialog) => void): Step[] => [
  {
    to: 'terms',
    title: t('Accept the Terms'),
    why: t('Once per account; nothing works before that.'),
    act: <AcceptTerms />,
  },
  {
    to: 'number',
    title: t('Add a number'),
    why: sandbox
      ? t('A sandbox number works at once, without a phone.')
      : t('Link the phone that you want to send from.'),
    act: (
      <>
        <ButtonLink small to="/link">
          {t('Link a phone')}
        </ButtonLink>
        {sandbox && <Act onClick={() => open('number')}>{t('Add a sandbox number')}</Act>}
      </>
    ),
  },
  {
    to: 'key',
    title: t('Make an API key'),
    why: t('Your server signs in with it.'),
    act: <Act onClick={() => open('key')}>{t('Create a key')}</Act>,
  },
  {
    to: 'webhook',
    title: t('Set a webhook'),
    why: t('Where incoming messages and receipts are posted.'),
    act: (
      <ButtonLink small look="primary" to="/webhooks/new">
        {t('Set a webhook')}
      </ButtonLink>
    ),
  },
  {
    to: 'message',
    title: t('Send the first message'),
    why: t('From here, or with the curl that is filled in for you.'),
    act: <Act onClick={() => open('send')}>{t('Send a message')}</Act>,
  },
  {
    to: 'delivery',
    title: t('See an event delivered'),
    why: t('Your endpoint answers 2xx and the delivery turns green.'),
    act: (
      <ButtonLink small look="primary" to="/deliveries">
        {t('Watch the deliveries')}
      </ButtonLink>
    ),
  },
]

function Act({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <Button small look="primary" onClick={onClick}>
      {children}
    </Button>
  )
}

function AcceptTerms() {
  const accept = useAcceptTerms()
  return (
    <>
      <ButtonLink small to="/settings/terms">
        {t('Read ¦ a button')}
      </ButtonLink>
      <Button small look="primary" busy={accept.isPending} onClick={() => accept.mutate()}>
        {t('Accept the Terms')}
      </Button>
    </>
  )
}
