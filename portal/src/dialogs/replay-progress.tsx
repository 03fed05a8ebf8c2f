import { useMutation, useQueries } from '@tanstack/react-query'
import type { Replay } from '../api/records.ts'
import { cancelReplay, isUnderWay, replayQuery, type Sum, sumOf } from '../api/replays.ts'
import { errorText } from '../error-text.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FormError } from '../ui/form-error.tsx'
import { count } from '../ui/numbers-format.ts'
import { Status } from '../ui/status.tsx'
import { t } from '../t.ts'

/** The progress of a replay until every delivery has arrived or failed. */
export function ReplayProgress({ jobs: first, onClose }: { jobs: readonly Replay[]; onClose: () => void }) {
  const jobs = useQueries({ queries: first.map(replayQuery) }).map(({ data }, at) => data ?? first[at]!)
  const sum = sumOf(jobs)
  const queueing = jobs.filter(job => job.state === 'running')
  const cancel = useMutation({ mutationFn: () => Promise.all(queueing.map(cancelReplay)) })
  const word = jobs.some(isUnderWay)
    ? t('In progress')
    : jobs.some(({ state }) => state === 'cancelled')
      ? t('Cancelled')
      : t('Done')
  return (
    <Dialog
      title={t('Replay')}
      onClose={onClose}
      footer={
        <>
          {queueing.length > 0 && (
            <Button busy={cancel.isPending} onClick={() => cancel.mutate()}>
              {t('Cancel the replay')}
            </Button>
          )}
          <Button look="primary" onClick={onClose}>
            {t('Close')}
          </Button>
        </>
      }
    >
      <p role="status" className="mb-2 font-medium">
        {t('{word}: {over} of {total} deliveries', { word, over: count(sum.over), total: count(sum.total) })}
      </p>
      <progress
        aria-label={t('Progress of the replay')}
        max={Math.max(1, sum.total)}
        value={sum.total === 0 ? 1 : sum.over}
        className="progress h-2 w-full"
      />
      {sum.isKnown && <Outcome sum={sum} />}
      <p className="mt-3 text-[13px] text-muted">{hintOf(sum)}</p>
      {cancel.error && <FormError className="mt-2">{errorText(cancel.error)}</FormError>}
    </Dialog>
  )
}

function Outcome({ sum }: { sum: Sum }) {
  return (
    <p className="mt-3 flex flex-wrap gap-x-5 gap-y-1">
      <Status tone="good">{t('{delivered} delivered', { delivered: count(sum.delivered) })}</Status>
      <Status tone={sum.failed > 0 ? 'bad' : 'off'}>{t('{failed} failed again', { failed: count(sum.failed) })}</Status>
      <Status tone={sum.pending > 0 ? 'waiting' : 'off'}>
        {t('{pending} pending', { pending: count(sum.pending) })}
      </Status>
    </p>
  )
}

function hintOf(sum: Sum): string {
  if (sum.total === 0) return t('Nothing matched, so there was nothing to send again.')
  if (!sum.isKnown) return t('The gateway tries them now; the list shows the results.')
  if (sum.pending > 0) return t('The replay continues when you close this, even across a restart.')
  return sum.failed > 0
    ? t('Deliveries that failed again are still dead letters. Open one to see why, then replay again.')
    : t('Everything has arrived.')
}
