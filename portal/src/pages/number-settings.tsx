import { type FormEvent, useState } from 'react'
import { api, take } from '../api/client.ts'
import type { Session } from '../api/records.ts'
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
          pace_ms: Number(form.get('pace')),
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
      <TextField
        label={t('Pause between messages (ms)')}
        name="pace"
        type="number"
        min={0}
        max={600_000}
        defaultValue={session.pace_ms}
        hint={t('0 sends as fast as the platform accepts messages.')}
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
