import type { ReactNode } from 'react'
import type { Milestones } from '../api/use-milestones.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { useAcceptTerms } from './use-accept-terms.ts'

export type StepDialog = 'number' | 'key' | 'send'

export interface Step {
  to: keyof Milestones
  title: string
  why: string
  act: ReactNode
}

/** The steps to the first delivery, each with what takes it. */
export const stepsOf = (sandbox: boolean, open: (dialog: StepDialog) => void): Step[] => [
  {
    to: 'terms',
    title: 'Accept the Terms',
    why: 'Once for the account; nothing works before.',
    act: <AcceptTerms />,
  },
  {
    to: 'number',
    title: 'Add a number',
    why: sandbox ? 'A sandbox number works at once, without a phone.' : 'Link the phone that you want to send from.',
    act: (
      <>
        <ButtonLink small to="/link">
          Link a phone
        </ButtonLink>
        {sandbox && <Act onClick={() => open('number')}>Add a sandbox number</Act>}
      </>
    ),
  },
  {
    to: 'key',
    title: 'Make an API key',
    why: 'Your server signs in with it.',
    act: <Act onClick={() => open('key')}>Create a key</Act>,
  },
  {
    to: 'webhook',
    title: 'Set a webhook',
    why: 'Where incoming messages and receipts are posted.',
    act: (
      <ButtonLink small look="primary" to="/webhooks/new">
        Set a webhook
      </ButtonLink>
    ),
  },
  {
    to: 'message',
    title: 'Send the first message',
    why: 'From here, or with the curl that is filled in for you.',
    act: <Act onClick={() => open('send')}>Send a message</Act>,
  },
  {
    to: 'delivery',
    title: 'See an event delivered',
    why: 'Your endpoint answers 2xx and the delivery turns green.',
    act: (
      <ButtonLink small look="primary" to="/deliveries">
        Watch the deliveries
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
        Read
      </ButtonLink>
      <Button small look="primary" busy={accept.isPending} onClick={() => accept.mutate()}>
        Accept the Terms
      </Button>
    </>
  )
}
