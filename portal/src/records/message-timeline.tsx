import { Link } from '@tanstack/react-router'
import { eventName, otherSide, reportedState } from '../api/event-names.ts'
import { failureWords } from '../api/failures.ts'
import type { Delivery, MessageDetail, MessageState } from '../api/records.ts'
import { showJid } from '../api/sessions.ts'
import { lookUp } from '../look-up.ts'
import { classes } from '../ui/classes.ts'
import { milliseconds } from '../ui/numbers-format.ts'
import { Countdown, ExactTime } from '../ui/time.tsx'
import { DeliveryStatusMark, stateWord } from './status-marks.tsx'
import { rich } from '../rich.ts'
import { t } from '../t.ts'

const NEXT: Partial<Record<MessageState, MessageState[]>> = {
  scheduled: ['queued', 'sent', 'delivered', 'read'],
  queued: ['sent', 'delivered', 'read'],
  sent: ['delivered', 'read'],
  delivered: ['read'],
}

const ORDER = ['scheduled', 'queued', 'sent', 'delivered', 'read', 'played', 'failed', 'cancelled']
const FOLLOW_UPS = ['edited', 'edit_failed', 'revoked', 'revoke_failed']
const place = (state: string): number => (FOLLOW_UPS.includes(state) ? ORDER.length : ORDER.indexOf(state))

/** The API calls a queued message accepted. */
const STEP_WORDS: Record<string, string> = {
  queued: t('Accepted'),
  edited: t('Edited'),
  edit_failed: t('Edit failed'),
  revoked: t('Deleted for everyone'),
  revoke_failed: t('Deletion failed'),
}
const wordOf = (state: string): string => lookUp(STEP_WORDS, state) ?? stateWord(state)

type Step = MessageDetail['history'][number]

/**
 * The states of a message, each with the deliveries that reported it and their attempts, and the possible next states.
 * Receipts carry whole seconds, so times alone do not order them.
 */
export function MessageTimeline({ message, deliveries }: { message: MessageDetail; deliveries: readonly Delivery[] }) {
  const steps = message.history.toSorted((a, b) => place(a.state) - place(b.state))
  const rest = deliveries.filter(delivery => !steps.some(step => isAbout(step, delivery)))
  return (
    <ol className="relative ml-1.5 space-y-4 border-l pl-5">
      {steps.map((step, index) => (
        <li key={`${step.state} ${step.recipient ?? ''} ${index}`} className="relative">
          <Dot look={step.state.endsWith('failed') ? 'bg-danger' : 'bg-accent'} />
          <p className="font-medium">{wordOf(step.state)}</p>
          <p className="text-[13px] text-muted">
            <ExactTime at={step.at} />
            {step.recipient && ` · ${showJid(step.recipient)}`}
            {step.detail && ` · ${step.detail}`}
          </p>
          <Deliveries deliveries={deliveries.filter(delivery => isAbout(step, delivery))} />
        </li>
      ))}
      {(NEXT[message.state] ?? []).map(state => (
        <li key={state} className="relative text-muted">
          <Dot look="border-2 border-line-strong bg-surface" />
          <p>{stateWord(state)}</p>
        </li>
      ))}
      {rest.length > 0 && (
        <li className="relative">
          <Dot look="bg-calm" />
          <p className="font-medium">{t('Other events about this message')}</p>
          <Deliveries deliveries={rest} />
        </li>
      )}
    </ol>
  )
}

const isAbout = (step: Step, delivery: Delivery): boolean =>
  reportedState(delivery) === step.state &&
  (step.recipient === undefined || otherSide(delivery) === undefined || otherSide(delivery) === step.recipient)

function Deliveries({ deliveries }: { deliveries: readonly Delivery[] }) {
  if (deliveries.length === 0) return null
  return (
    <ul className="mt-1.5 divide-y overflow-hidden rounded-lg border">
      {deliveries.map(delivery => (
        <li key={delivery.id}>
          <Link
            to="/deliveries/$id"
            params={{ id: delivery.id }}
            className="flex flex-wrap items-center gap-x-3 gap-y-0.5 px-3 py-2 text-[13px] hover:bg-raised"
          >
            <code className="font-mono font-medium text-accent underline underline-offset-2">
              {eventName(delivery)}
            </code>
            <DeliveryStatusMark delivery={delivery} />
            <span className="min-w-0 flex-1 basis-full truncate text-muted sm:basis-0 sm:text-right">
              <Outcome delivery={delivery} />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** The last attempt, and the next one. */
function Outcome({ delivery }: { delivery: Delivery }) {
  const last = delivery.attempts.at(-1)
  if (last === undefined) return t('Not tried yet.')
  return (
    <>
      {t('attempt {attempt}: {words}', {
        attempt: last.attempt,
        words: `${last.status === 'delivered' ? last.code : failureWords(last).name} · ${milliseconds(last.latency_ms)}`,
      })}
      {delivery.next_attempt_at && (
        <> · {rich('next {countdown}', { countdown: <Countdown at={delivery.next_attempt_at} /> })}</>
      )}
    </>
  )
}

function Dot({ look }: { look: string }) {
  return <span aria-hidden className={classes('absolute top-1.5 -left-[25px] size-2.5 rounded-full', look)} />
}
