import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, take } from '../api/client.ts'
import type { Replay as ReplayJob, Webhook } from '../api/records.ts'
import { errorText } from '../error-text.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { FormActions } from '../ui/form-actions.tsx'
import { FormError } from '../ui/form-error.tsx'
import { count } from '../ui/numbers-format.ts'

const WHAT = [
  { value: 'dead', label: 'Dead letters' },
  { value: 'failed', label: 'Deliveries that wait for their next attempt' },
]

const replayQuery = (job: ReplayJob) => ({
  queryKey: ['replay', job.id],
  queryFn: () => take(api.GET('/v1/webhooks/{id}/replay/{replay_id}', { params: { path: pathOf(job) } })),
})
const pathOf = (job: ReplayJob) => ({ id: job.webhook_id, replay_id: job.id })
const isoOf = (local: FormDataEntryValue | null) => (local ? new Date(String(local)).toISOString() : undefined)

/** Sends many deliveries again, as a job that shows its progress and can be cancelled. */
export function Replay({ webhooks, onClose }: { webhooks: readonly Webhook[]; onClose: () => void }) {
  const queries = useQueryClient()
  const [webhookId, setWebhookId] = useState(webhooks[0]?.id ?? '')
  const start = useMutation({
    mutationFn: (form: FormData) =>
      take(
        api.POST('/v1/webhooks/{id}/replay', {
          params: { path: { id: webhookId } },
          body: {
            status: String(form.get('status')),
            since: isoOf(form.get('since')),
            until: isoOf(form.get('until')),
          },
        }),
      ),
  })
  const close = () => {
    void queries.invalidateQueries({ queryKey: ['deliveries'] })
    void queries.invalidateQueries({ queryKey: ['stats'] })
    onClose()
  }
  if (start.data) return <Progress first={start.data} onClose={close} />
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    start.mutate(new FormData(event.currentTarget))
  }
  return (
    <Dialog title="Replay deliveries" onClose={onClose}>
      <form onSubmit={submit} className="space-y-4">
        <p className="leading-relaxed text-muted">
          Each dead letter is delivered once more, with the same X-Message-ID, so a receiver that removes duplicates is
          safe. What waits for its next attempt is tried now. One replay of a webhook runs at a time.
        </p>
        {webhooks.length > 1 && (
          <SelectField
            label="Webhook"
            value={webhookId}
            onChange={event => setWebhookId(event.target.value)}
            choices={webhooks.map(({ id, phone }) => ({ value: id, label: `+${phone}` }))}
          />
        )}
        <SelectField label="What" name="status" choices={WHAT} />
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField label="From" name="since" type="datetime-local" step="1" />
          <TextField label="Until" name="until" type="datetime-local" step="1" />
        </div>
        {start.error && <FormError>{errorText(start.error)}</FormError>}
        <FormActions onClose={onClose} busy={start.isPending}>
          Start the replay
        </FormActions>
      </form>
    </Dialog>
  )
}

function Progress({ first, onClose }: { first: ReplayJob; onClose: () => void }) {
  const queries = useQueryClient()
  const { data: job } = useQuery({
    ...replayQuery(first),
    initialData: first,
    refetchInterval: query => (query.state.data?.state === 'running' ? 500 : false),
  })
  const cancel = useMutation({
    mutationFn: () => take(api.DELETE('/v1/webhooks/{id}/replay/{replay_id}', { params: { path: pathOf(first) } })),
    onSuccess: ended => queries.setQueryData(replayQuery(first).queryKey, ended),
  })
  const words = { running: 'Under way', done: 'Done', cancelled: 'Cancelled' }[job.state]
  return (
    <Dialog
      title="Replay"
      onClose={onClose}
      footer={
        <>
          {job.state === 'running' && (
            <Button busy={cancel.isPending} onClick={() => cancel.mutate()}>
              Cancel the replay
            </Button>
          )}
          <Button look="primary" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <p role="status" className="mb-2 font-medium">
        {words}: {count(job.done)} of {count(job.total)} deliveries
      </p>
      <progress
        aria-label="Progress of the replay"
        max={Math.max(1, job.total)}
        value={job.total === 0 ? 1 : job.done}
        className="h-2 w-full accent-accent"
      />
      <p className="mt-3 text-[13px] text-muted">
        {job.total === 0
          ? 'Nothing matched, so there was nothing to send again.'
          : 'The job goes on by itself when you close this, also over a restart.'}
      </p>
      {cancel.error && <FormError className="mt-2">{errorText(cancel.error)}</FormError>}
    </Dialog>
  )
}
