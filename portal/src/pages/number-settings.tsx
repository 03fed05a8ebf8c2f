import { type FormEvent, useState } from 'react'
import { api, take } from '../api/client.ts'
import type { Pace, Session } from '../api/records.ts'
import { errorText } from '../error-text.ts'
import { Button } from '../ui/button.tsx'
import { type Choice, SelectField, Switch, TextArea, TextField } from '../ui/field.tsx'
import { t } from '../t.ts'
import { showPhone } from '../phone-number.ts'
import { NumberProxy } from './number-proxy.tsx'
import { useSave } from './use-save.ts'

const ADDRESSINGS: ReadonlyArray<Choice & { value: Session['addressing'] }> = [
  { value: 'auto', label: t('Automatic') },
  { value: 'lid', label: t('Hidden identifier (LID) only') },
  { value: 'pn', label: t('Phone number') },
]

const APPEARANCES: ReadonlyArray<Choice & { value: Session['appear'] }> = [
  { value: 'auto', label: t('Automatic') },
  { value: 'online', label: t('Always online') },
  { value: 'offline', label: t('Always offline') },
]

/** What a person may change about a number. */
export function NumberSettings({ session }: { session: Session }) {
  return (
    <>
      <HowItSends session={session} />
      <NumberPace session={session} />
      <AutoReject session={session} />
      <NumberProxy session={session} />
      <Pause session={session} />
    </>
  )
}

function HowItSends({ session }: { session: Session }) {
  const path = { id: session.id }
  const save = useSave((form: FormData) =>
    take(
      api.PATCH('/v1/sessions/{id}', {
        params: { path },
        body: {
          label: String(form.get('label')),
          addressing: form.get('addressing') as Session['addressing'],
          appear: form.get('appear') as Session['appear'],
        },
      }),
    ),
  )
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    save.mutate(new FormData(event.currentTarget))
  }
  return (
    <form onSubmit={submit} className="space-y-3 border-t pt-5">
      <TextField
        label={t('Label')}
        name="label"
        defaultValue={session.label}
        maxLength={100}
        placeholder={showPhone(session.phone)}
      />
      <SelectField
        label={t('Addressing')}
        name="addressing"
        choices={ADDRESSINGS}
        defaultValue={session.addressing}
        hint={t('Change this only if direct messages from this number are refused.')}
      />
      <SelectField
        label={t('Appears to contacts')}
        name="appear"
        choices={APPEARANCES}
        defaultValue={session.appear}
        hint={t(
          'While the number is online, its phone shows no notifications. Automatic: online only while your programs receive typing and presence events.',
        )}
      />
      <Button small type="submit" busy={save.isPending}>
        {t('Save')}
      </Button>
    </form>
  )
}

/** An empty field leaves its rule out; without any rule, the number has no pace. */
function NumberPace({ session }: { session: Session }) {
  const { pace } = session
  const path = { id: session.id }
  const save = useSave((form: FormData) =>
    take(api.PATCH('/v1/sessions/{id}', { params: { path }, body: { pace: paceIn(form) } })),
  )
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    save.mutate(new FormData(event.currentTarget))
  }
  const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <form onSubmit={submit} className="space-y-3 border-t pt-5" aria-labelledby="pace">
      <div>
        <h3 id="pace" className="font-semibold">
          {t('Pace')}
        </h3>
        <p className="mt-1 text-[13px] text-muted">
          {t(
            'Messages wait until the pace allows them. Answers to people who wrote within 24 hours only keep the pause.',
          )}
        </p>
      </div>
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label={t('Shortest pause (ms)')}
          name="min_ms"
          type="number"
          min={0}
          max={600_000}
          defaultValue={pace?.min_ms ?? ''}
        />
        <TextField
          label={t('Longest pause (ms)')}
          name="max_ms"
          type="number"
          min={0}
          max={600_000}
          defaultValue={pace?.max_ms ?? ''}
        />
        <TextField
          label={t('New people in 24 hours')}
          name="new_per_day"
          type="number"
          min={1}
          max={10_000}
          defaultValue={pace?.new_per_day ?? ''}
        />
        <TextField
          label={t('Days of a slow start')}
          name="ramp_days"
          type="number"
          min={1}
          max={365}
          defaultValue={pace?.ramp_days ?? ''}
        />
        <TextField label={t('Quiet from')} name="from" type="time" defaultValue={pace?.quiet?.from ?? ''} />
        <TextField label={t('Quiet until')} name="to" type="time" defaultValue={pace?.quiet?.to ?? ''} />
      </div>
      <TextField
        label={t('Time zone')}
        name="time_zone"
        maxLength={64}
        defaultValue={pace?.quiet?.time_zone ?? ownZone}
        error={save.error ? errorText(save.error) : null}
      />
      <Button small type="submit" busy={save.isPending}>
        {t('Save the pace')}
      </Button>
    </form>
  )
}

function paceIn(form: FormData): Partial<Pace> | null {
  const text = (name: string): string => String(form.get(name) ?? '').trim()
  const number = (name: string): number | undefined => (text(name) === '' ? undefined : Number(text(name)))
  const [minMs, maxMs, newPerDay, rampDays] = [
    number('min_ms'),
    number('max_ms'),
    number('new_per_day'),
    number('ramp_days'),
  ]
  const isQuiet = text('from') !== '' || text('to') !== ''
  if (!minMs && !maxMs && newPerDay === undefined && rampDays === undefined && !isQuiet) return null
  return {
    ...(minMs !== undefined && { min_ms: minMs }),
    ...(maxMs !== undefined && { max_ms: maxMs }),
    new_per_day: newPerDay ?? null,
    ramp_days: rampDays ?? null,
    quiet: isQuiet ? { from: text('from'), to: text('to'), time_zone: text('time_zone') } : null,
  }
}

function AutoReject({ session }: { session: Session }) {
  const [message, setMessage] = useState(session.auto_reject.message ?? '')
  const path = { id: session.id }
  const set = useSave((enabled: boolean) =>
    take(
      api.POST('/v1/sessions/{id}/calls/auto-reject', {
        params: { path },
        body: { enabled, message: message.trim() || null },
      }),
    ),
  )
  return (
    <div className="space-y-3 border-t pt-5">
      <Switch
        label={t('Reject calls automatically')}
        hint={t('Every incoming call is declined at once, and you receive a call event.')}
        checked={session.auto_reject.enabled}
        disabled={set.isPending}
        onChange={enabled => set.mutate(enabled)}
      />
      {session.auto_reject.enabled && (
        <>
          <TextArea
            label={t('Message to the caller')}
            value={message}
            onChange={event => setMessage(event.target.value)}
            maxLength={4096}
            placeholder={t('Please write to us instead.')}
            error={set.error ? errorText(set.error) : null}
          />
          <Button small busy={set.isPending} onClick={() => set.mutate(true)}>
            {t('Save the message')}
          </Button>
        </>
      )}
    </div>
  )
}

const usePause = ({ id }: Session) =>
  useSave((paused: boolean) => take(api.PATCH('/v1/sessions/{id}', { params: { path: { id } }, body: { paused } })))

export function Resume({ session }: { session: Session }) {
  const set = usePause(session)
  return (
    <Button small busy={set.isPending} onClick={() => set.mutate(false)}>
      {t('Resume')}
    </Button>
  )
}

function Pause({ session }: { session: Session }) {
  const set = usePause(session)
  return (
    <div className="border-t pt-5">
      <Switch
        label={t('Pause the number')}
        hint={t(
          'It stays linked and does not connect, also after a restart of the gateway. New messages are refused; the platform keeps what people write.',
        )}
        checked={session.paused}
        disabled={set.isPending}
        onChange={paused => set.mutate(paused)}
      />
    </div>
  )
}
