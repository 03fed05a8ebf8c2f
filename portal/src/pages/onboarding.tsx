import { useQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { api, take } from '../api/client.ts'
import { sessionsQuery } from '../api/sessions.ts'
import { useFirstNumber } from '../api/use-first-number.ts'
import { webhooksQuery } from '../api/webhooks.ts'
import { AddSandboxNumber } from '../dialogs/add-sandbox-number.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { CreateKey } from '../dialogs/create-key.tsx'
import { SendMessage } from '../dialogs/send-message.tsx'
import { useAcceptTerms } from '../ui/terms-gate.tsx'
import { useVisitor } from '../ui/visitor.ts'

/** A dialog outlives its step: what it shows is still wanted when the step is done. */
type Opened = 'number' | 'key' | 'send' | null

interface Step {
  title: string
  why: string
  done: boolean
  act: ReactNode
}

/**
 * The way from an empty account to a delivered event, above the rest of the page. Gone when it is walked; the rest comes
 * when it is known how much of it there is, so that nothing has to make way.
 */
export function Onboarding({ children, skeleton }: { children: ReactNode; skeleton: ReactNode }) {
  const [open, setOpen] = useState<Opened>(null)
  const known = useSteps(setOpen)
  const last = useRef(known)
  if (known !== null) last.current = known
  const steps = last.current
  const first = useFirstNumber()
  const close = () => setOpen(null)
  if (steps === null) return skeleton
  const walked = steps.every(step => step.done) && open === null
  return (
    <>
      {!walked && <Checklist steps={steps} />}
      {children}
      {open === 'number' && <AddSandboxNumber onClose={close} />}
      {open === 'key' && <CreateKey onClose={close} />}
      {open === 'send' && first && <SendMessage session={first} onClose={close} />}
    </>
  )
}

function Checklist({ steps }: { steps: Step[] }) {
  const next = steps.findIndex(step => !step.done)
  return (
    <section className="card" aria-labelledby="onboarding">
      <header className="flex items-center justify-between border-b px-5 py-3">
        <h2 id="onboarding" className="font-semibold">
          Get going
        </h2>
        <span className="text-[13px] text-muted">
          {steps.filter(step => step.done).length} of {steps.length} done
        </span>
      </header>
      <ol className="divide-y">
        {steps.map((step, index) => (
          <li key={step.title} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3">
            <span
              aria-hidden
              className={classes(
                'grid size-6 shrink-0 place-items-center rounded-full border text-[12px] font-semibold',
                step.done
                  ? 'border-accent bg-accent text-on-accent'
                  : index === next
                    ? 'border-accent text-accent-strong'
                    : 'border-line-strong text-muted',
              )}
            >
              {step.done ? <Check size={14} /> : index + 1}
            </span>
            <div className="min-w-0 flex-1">
              <p className={classes('font-medium', step.done && 'text-muted line-through')}>
                {step.title}
                {step.done && <span className="sr-only"> (done)</span>}
              </p>
              {!step.done && <p className="text-[13px] text-muted">{step.why}</p>}
            </div>
            {!step.done && index === next && step.act}
          </li>
        ))}
      </ol>
    </section>
  )
}

function useSteps(setOpen: (open: Opened) => void): Step[] | null {
  const { account, sandbox } = useVisitor()
  const accept = useAcceptTerms()
  const enabled = account.tos_accepted
  const sessions = useQuery({ ...sessionsQuery, enabled })
  const keys = useQuery({
    queryKey: ['first', 'keys'],
    queryFn: () => take(api.GET('/v1/keys', { params: { query: { limit: 1 } } })),
    enabled,
  })
  const webhooks = useQuery({ ...webhooksQuery, enabled })
  const sent = useFirst('messages', () => take(api.GET('/v1/messages', { params: { query: { limit: 1 } } })), enabled)
  const delivered = useFirst(
    'deliveries',
    () => take(api.GET('/v1/deliveries', { params: { query: { limit: 1, status: 'delivered' } } })),
    enabled,
  )
  if (enabled && [sessions, keys, webhooks, sent, delivered].some(query => query.isPending)) return null
  return [
    {
      title: 'Accept the Terms',
      why: 'Once for the account; nothing works before.',
      done: enabled,
      act: (
        <>
          <ButtonLink small to="/settings/terms">
            Read
          </ButtonLink>
          <Button small look="primary" busy={accept.isPending} onClick={() => accept.mutate()}>
            Accept the Terms
          </Button>
        </>
      ),
    },
    {
      title: 'Add a number',
      why: sandbox ? 'A sandbox number works at once, without a phone.' : 'Link the phone that you want to send from.',
      done: (sessions.data?.length ?? 0) > 0,
      act: (
        <>
          <ButtonLink small to="/link">
            Link a phone
          </ButtonLink>
          {sandbox && (
            <Button small look="primary" onClick={() => setOpen('number')}>
              Add a sandbox number
            </Button>
          )}
        </>
      ),
    },
    {
      title: 'Make an API key',
      why: 'Your server signs in with it.',
      done: (keys.data?.data.length ?? 0) > 0,
      act: (
        <>
          <Button small look="primary" onClick={() => setOpen('key')}>
            Create a key
          </Button>
        </>
      ),
    },
    {
      title: 'Set a webhook',
      why: 'Where incoming messages and receipts are posted.',
      done: (webhooks.data?.length ?? 0) > 0,
      act: (
        <ButtonLink small look="primary" to="/webhooks/new">
          Set a webhook
        </ButtonLink>
      ),
    },
    {
      title: 'Send the first message',
      why: 'From here, or with the curl that is filled in for you.',
      done: sent.some,
      act: (
        <>
          <Button small look="primary" onClick={() => setOpen('send')}>
            Send a message
          </Button>
        </>
      ),
    },
    {
      title: 'See an event delivered',
      why: 'Your endpoint answers 2xx and the delivery turns green.',
      done: delivered.some,
      act: (
        <ButtonLink small look="primary" to="/deliveries">
          Watch the deliveries
        </ButtonLink>
      ),
    },
  ]
}

/** Whether there is at least one row; asked again while there is none. */
function useFirst(list: string, queryFn: () => Promise<{ data: unknown[] }>, enabled: boolean) {
  const { data, isPending } = useQuery({
    queryKey: ['first', list],
    queryFn,
    enabled,
    refetchInterval: query => ((query.state.data?.data.length ?? 0) > 0 ? false : 3_000),
  })
  return { isPending, some: (data?.data.length ?? 0) > 0 }
}
