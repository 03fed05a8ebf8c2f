import { failureWords } from '../api/failures.ts'
import { foldAttempts } from '../api/fold-attempts.ts'
import type { Attempt, Delivery } from '../api/records.ts'
import { classes } from '../ui/classes.ts'
import { milliseconds } from '../ui/numbers-format.ts'
import { Countdown, ExactTime } from '../ui/time.tsx'
import { rich } from '../rich.ts'
import { t } from '../t.ts'

/** Each attempt with its response, equal ones grouped, and the next one. */
export function AttemptTimeline({ delivery }: { delivery: Delivery }) {
  const { attempts, next_attempt_at: next, status } = delivery
  const waits = status === 'failed' || status === 'pending'
  return (
    <ol className="relative ml-1.5 space-y-4 border-l pl-5">
      {foldAttempts(attempts).map(equal => (
        <Entry key={equal[0]!.attempt} attempts={equal} />
      ))}
      {waits && next && (
        <li className="relative">
          <Dot tone="border-2 border-waiting bg-surface" />
          <p className="font-medium">
            {rich('Attempt {attempt}, {countdown}', {
              attempt: attempts.length + 1,
              countdown: <Countdown at={next} />,
            })}
          </p>
        </li>
      )}
      {attempts.length === 0 && !next && <li className="text-muted">{t('Not tried yet.')}</li>}
      {status === 'dead' && (
        <li className="relative">
          <Dot tone="bg-danger" />
          <p className="font-medium">{t('Dead letter: no more automatic retries')}</p>
        </li>
      )}
    </ol>
  )
}

function Entry({ attempts }: { attempts: Attempt[] }) {
  const first = attempts[0]!
  const last = attempts.at(-1)!
  const good = last.status === 'delivered'
  const words = good ? t('answered {code}', { code: last.code ?? '–' }) : failureWords(last).name
  return (
    <li className="relative">
      <Dot tone={good ? 'bg-accent' : 'bg-danger'} />
      {attempts.length === 1 ? (
        <>
          <p className="font-medium">{t('Attempt {attempt}: {words}', { attempt: last.attempt, words })}</p>
          <When attempt={last} />
        </>
      ) : (
        <details>
          <summary className="cursor-pointer font-medium">
            {t('Attempts {first} to {last}: {words}', { first: first.attempt, last: last.attempt, words })}
          </summary>
          <ul className="mt-1 space-y-0.5">
            {attempts.map(attempt => (
              <li key={attempt.attempt} className="text-[13px]">
                <span>{t('Attempt {attempt}', { attempt: attempt.attempt })}</span> <When attempt={attempt} />
              </li>
            ))}
          </ul>
        </details>
      )}
      {last.reply && (
        <p className="text-[13px]">
          {last.reply.code === null
            ? t('Its answer is sent to the chat.')
            : t('Its answer was refused: {code}', { code: last.reply.code })}
        </p>
      )}
      <Answer attempt={last} />
    </li>
  )
}

function When({ attempt }: { attempt: Attempt }) {
  return (
    <span className="text-[13px] text-muted">
      <ExactTime at={attempt.time} /> · {milliseconds(attempt.latency_ms)}
      {attempt.error && (
        <>
          {' '}
          · <code className="font-mono">{attempt.error}</code>
        </>
      )}
    </span>
  )
}

/** The response: headers and the beginning of the body. */
function Answer({ attempt }: { attempt: Attempt }) {
  const headers = Object.entries(attempt.response_headers).map(([name, value]) => `${name}: ${value}`)
  if (headers.length === 0 && attempt.response_excerpt === '') return null
  return (
    <pre
      tabIndex={0}
      aria-label={t('Answer to attempt {attempt}', { attempt: attempt.attempt })}
      className="mt-1.5 max-h-40 overflow-auto rounded-lg border bg-raised px-3 py-2 font-mono text-[12px] break-all whitespace-pre-wrap"
    >
      {headers.length > 0 && <span className="text-muted">{headers.join('\n')}</span>}
      {headers.length > 0 && attempt.response_excerpt !== '' && '\n\n'}
      <span>{attempt.response_excerpt}</span>
    </pre>
  )
}

function Dot({ tone }: { tone: string }) {
  return <span aria-hidden className={classes('absolute top-1.5 -left-[25px] size-2.5 rounded-full', tone)} />
}
