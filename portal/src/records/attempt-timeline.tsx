import { failureWords } from '../api/failures.ts'
import type { Attempt, Delivery } from '../api/records.ts'
import { classes } from '../ui/classes.ts'
import { milliseconds } from '../ui/numbers-format.ts'
import { Countdown, ExactTime } from '../ui/time.tsx'

/** Each attempt with its answer, and the one that comes next. */
export function AttemptTimeline({ delivery }: { delivery: Delivery }) {
  const { attempts, next_attempt_at: next, status } = delivery
  const waits = status === 'failed' || status === 'pending'
  return (
    <ol className="relative ml-1.5 space-y-4 border-l pl-5">
      {attempts.map(attempt => (
        <Entry key={attempt.attempt} attempt={attempt} />
      ))}
      {waits && next && (
        <li className="relative">
          <Dot tone="border-2 border-waiting bg-surface" />
          <p className="font-medium">
            Attempt {attempts.length + 1}, <Countdown at={next} />
          </p>
        </li>
      )}
      {attempts.length === 0 && !next && <li className="text-muted">Not tried yet.</li>}
      {status === 'dead' && (
        <li className="relative">
          <Dot tone="bg-danger" />
          <p className="font-medium">Dead letter: nothing more is tried by itself</p>
        </li>
      )}
    </ol>
  )
}

function Entry({ attempt }: { attempt: Attempt }) {
  const good = attempt.status === 'delivered'
  return (
    <li className="relative">
      <Dot tone={good ? 'bg-accent' : 'bg-danger'} />
      <p className="font-medium">
        Attempt {attempt.attempt}: {good ? `answered ${attempt.code}` : failureWords(attempt).name}
      </p>
      <p className="text-[13px] text-muted">
        <ExactTime at={attempt.time} /> · {milliseconds(attempt.latency_ms)}
        {attempt.error && (
          <>
            {' '}
            · <code className="font-mono">{attempt.error}</code>
          </>
        )}
      </p>
      {attempt.response_excerpt !== '' && (
        <pre
          tabIndex={0}
          aria-label={`Answer to attempt ${attempt.attempt}`}
          className="mt-1.5 max-h-40 overflow-auto rounded-lg border bg-raised px-3 py-2 font-mono text-[12px] break-all whitespace-pre-wrap"
        >
          {attempt.response_excerpt}
        </pre>
      )}
    </li>
  )
}

function Dot({ tone }: { tone: string }) {
  return <span aria-hidden className={classes('absolute top-1.5 -left-[25px] size-2.5 rounded-full', tone)} />
}
