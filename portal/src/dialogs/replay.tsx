import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type ReplayWish, replayableQuery, startReplays } from '../api/replays.ts'
import { errorText } from '../error-text.ts'
import { Dialog } from '../ui/dialog.tsx'
import { CheckField, SelectField } from '../ui/field.tsx'
import { FormActions } from '../ui/form-actions.tsx'
import { FormError } from '../ui/form-error.tsx'
import { count } from '../ui/numbers-format.ts'
import { RangePicker } from '../ui/range-picker.tsx'
import { ReplayProgress } from './replay-progress.tsx'
import { t } from '../t.ts'

const WHAT = [
  { value: 'dead', label: t('Dead letters') },
  { value: 'failed', label: t('Deliveries that wait for their next attempt') },
]

/** A webhook or an endpoint, as people call it. */
export interface Receiver {
  id: string
  name: string
}

/** Sends many deliveries of several webhooks and endpoints again, as jobs that report their progress. */
export function Replay({ receivers, onClose }: { receivers: readonly Receiver[]; onClose: () => void }) {
  const queries = useQueryClient()
  const [wish, setWish] = useState<ReplayWish>({ status: 'dead', since: '', until: '' })
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const found = useQuery(replayableQuery(wish)).data
  const some = receivers.filter(({ id }) => (numberOf(found, id) ?? 0) > 0)
  const chosen = some.filter(({ id }) => !left.has(id))
  const total = chosen.reduce((sum, { id }) => sum + numberOf(found, id)!, 0)
  const start = useMutation({
    mutationFn: () =>
      startReplays(
        chosen.map(({ id }) => id),
        wish,
      ),
  })
  const close = () => {
    void queries.invalidateQueries({ queryKey: ['deliveries'] })
    void queries.invalidateQueries({ queryKey: ['stats'] })
    onClose()
  }
  if (start.data) return <ReplayProgress jobs={start.data} onClose={close} />
  const submit = (event: FormEvent) => {
    event.preventDefault()
    start.mutate()
  }
  const toggle = (id: string) =>
    setLeft(old => (old.has(id) ? new Set([...old].filter(one => one !== id)) : new Set([...old, id])))
  return (
    <Dialog title={t('Replay deliveries')} onClose={onClose}>
      <form onSubmit={submit} className="space-y-4">
        <p className="leading-relaxed text-muted">
          {t(
            'The gateway delivers each dead letter once more, with the same X-Message-ID, so a receiver that removes duplicates is safe. A delivery that fails again replaces its dead letter.',
          )}
        </p>
        <SelectField
          label={t('What')}
          value={wish.status}
          onChange={event => setWish({ ...wish, status: event.target.value as ReplayWish['status'] })}
          choices={WHAT}
        />
        <RangePicker since={wish.since} until={wish.until} onChange={times => setWish({ ...wish, ...times })} />
        {some.length > 1 && <Choices receivers={some} found={found} left={left} onToggle={toggle} />}
        <p role="status" className="font-medium">
          {found === undefined ? t('Counting …') : willGo(total, chosen.length)}
        </p>
        <HeldBack found={found} />
        {start.error && <FormError>{errorText(start.error)}</FormError>}
        <FormActions onClose={onClose} busy={start.isPending} disabled={total === 0}>
          {t('Start the replay')}
        </FormActions>
      </form>
    </Dialog>
  )
}

type Found =
  | { webhook_id: string | null; endpoint_id: string | null; deliveries: number; held_back: number }[]
  | undefined

const numberOf = (found: Found, id: string) =>
  found?.find(row => (row.webhook_id ?? row.endpoint_id) === id)?.deliveries

function willGo(total: number, receivers: number): string {
  if (total === 0) return t('Nothing matches: there is nothing to send again.')
  if (total === 1) return t('The gateway sends 1 delivery again.')
  return receivers > 1
    ? t('The gateway sends {count} deliveries to {receivers} receivers again.', { count: count(total), receivers })
    : t('The gateway sends {count} deliveries again.', { count: count(total) })
}

function HeldBack({ found }: { found: Found }) {
  const held = found?.reduce((sum, row) => sum + row.held_back, 0) ?? 0
  if (held === 0) return null
  return (
    <p className="text-[13px] text-muted">
      {t('{held} more cannot be sent: their webhook or endpoint is inactive, or no longer has a URL for them.', {
        held: count(held),
      })}
    </p>
  )
}

interface ChoicesProps {
  receivers: readonly Receiver[]
  found: Found
  left: ReadonlySet<string>
  onToggle: (id: string) => void
}

function Choices({ receivers, found, left, onToggle }: ChoicesProps) {
  return (
    <fieldset className="max-h-48 overflow-y-auto rounded-lg border px-3 py-1.5">
      <legend className="px-1 text-[13px] text-muted">{t('Webhooks and endpoints')}</legend>
      {receivers.map(({ id, name }) => (
        <CheckField
          key={id}
          label={`${name}: ${count(numberOf(found, id) ?? 0)}`}
          checked={!left.has(id)}
          onChange={() => onToggle(id)}
        />
      ))}
    </fieldset>
  )
}
