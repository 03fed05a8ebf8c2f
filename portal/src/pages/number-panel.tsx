import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Send, TabletSmartphone } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { api, errorText, take } from '../api/client.ts'
import type { Session } from '../api/records.ts'
import { bareId, nameOf, sessionsQuery } from '../api/sessions.ts'
import { webhooksQuery } from '../api/webhooks.ts'
import { SendMessage } from '../dialogs/send-message.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { CopyId } from '../ui/copy.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { Switch, TextArea, TextField } from '../ui/field.tsx'
import { ErrorNote, Facts, Notice } from '../ui/page.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { SessionStatus } from '../ui/status.tsx'
import { ExactTime, Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'

export function NumberPanel() {
  const { id } = useParams({ from: '/inside/numbers/$id' })
  const { data: sessions, error } = useQuery(sessionsQuery)
  const navigate = useNavigate()
  const at = sessions?.findIndex(session => bareId(session.id) === bareId(id)) ?? -1
  const session = sessions?.[at]
  const stepTo = (other: Session | undefined) =>
    other && (() => void navigate({ to: '/numbers/$id', params: { id: other.id }, replace: true }))
  return (
    <SidePanel
      title={session ? nameOf(session) : 'Number'}
      subject={id}
      onClose={() => void navigate({ to: '/numbers' })}
      onPrevious={stepTo(sessions?.[at - 1])}
      onNext={at === -1 ? undefined : stepTo(sessions?.[at + 1])}
      actions={session && <NumberActions session={session} />}
    >
      {error && <ErrorNote error={error} />}
      {sessions && !session && (
        <ErrorNote error={new Error('This account has no such number. It may have been unlinked.')} />
      )}
      {session && <NumberDetails key={session.id} session={session} />}
    </SidePanel>
  )
}

function NumberDetails({ session }: { session: Session }) {
  const webhook = useQuery(webhooksQuery).data?.find(({ phone }) => phone === session.phone)
  return (
    <div className="space-y-6">
      <StateNotice session={session} />
      <Facts
        facts={[
          ['State', <SessionStatus key="state" state={session.state} />],
          ['Session id', <CopyId key="id" id={session.id} className="-ml-1" />],
          ['Phone', `+${session.phone}`],
          ['Kind', session.platform === 'sandbox' ? 'Sandbox number' : 'Linked phone'],
          ['Hosted', session.hosted ? 'By a worker' : 'By no worker now'],
          ['Connected', session.connected_at ? <ExactTime key="connected" at={session.connected_at} /> : 'Never'],
          ['Last event', session.last_event_at ? <Time key="last" at={session.last_event_at} /> : 'None yet'],
        ]}
      />
      <Settings session={session} />
      <AutoReject session={session} />
      <div className="flex flex-wrap gap-2">
        {webhook ? (
          <ButtonLink small to="/webhooks/$id" params={{ id: webhook.id }}>
            Open its webhook
          </ButtonLink>
        ) : (
          <ButtonLink small to="/webhooks/new" search={{ number: session.id }}>
            Set a webhook
          </ButtonLink>
        )}
        <ButtonLink small to="/messages" search={{ number: bareId(session.id) }}>
          Its messages
        </ButtonLink>
        <ButtonLink small to="/deliveries" search={{ number: bareId(session.id) }}>
          Its deliveries
        </ButtonLink>
      </div>
    </div>
  )
}

function StateNotice({ session }: { session: Session }) {
  if (session.state === 'logged_out') {
    return (
      <Notice tone="bad">
        <p className="mb-2">
          The platform has unlinked this device. Messages from it fail until the number is paired again with the same
          phone; its webhook then works on.
        </p>
        <ButtonLink
          small
          to="/link"
          search={session.platform === 'sandbox' ? { platform: 'sandbox', phone: session.phone } : {}}
        >
          Pair it again
        </ButtonLink>
      </Notice>
    )
  }
  if (session.restricted_until) {
    return (
      <Notice tone="waiting">
        The platform restricts this number until <ExactTime at={session.restricted_until} />. Messages to people who
        have not written before may be refused. Send less, and only to people who expect it.
      </Notice>
    )
  }
  if (session.state === 'disconnected') {
    return (
      <Notice tone="bad">
        The link is down. The gateway keeps trying by itself; messages wait up to 10 minutes. Check that the phone is
        online, or restart the number.
      </Notice>
    )
  }
  return null
}

function useSessionChange<T>(change: (value: T) => Promise<unknown>, done: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey })
      toast.done(done)
    },
    onError: toast.failed,
  })
}

function Settings({ session }: { session: Session }) {
  const path = { id: session.id }
  const save = useSessionChange(
    (form: FormData) =>
      take(
        api.PATCH('/v1/sessions/{id}', {
          params: { path },
          body: { label: String(form.get('label')), pace_ms: Number(form.get('pace')) },
        }),
      ),
    'Saved.',
  )
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    save.mutate(new FormData(event.currentTarget))
  }
  return (
    <form onSubmit={submit} className="space-y-3 border-t pt-5">
      <TextField
        label="Label"
        name="label"
        defaultValue={session.label}
        maxLength={100}
        placeholder={`+${session.phone}`}
      />
      <TextField
        label="Pause between messages (ms)"
        name="pace"
        type="number"
        min={0}
        max={600_000}
        defaultValue={session.pace_ms}
        hint="0 sends as fast as the platform takes them."
      />
      <Button small type="submit" busy={save.isPending}>
        Save
      </Button>
    </form>
  )
}

function AutoReject({ session }: { session: Session }) {
  const [message, setMessage] = useState(session.auto_reject.message ?? '')
  const path = { id: session.id }
  const set = useSessionChange(
    (enabled: boolean) =>
      take(
        api.POST('/v1/sessions/{id}/calls/auto-reject', {
          params: { path },
          body: { enabled, message: message.trim() || null },
        }),
      ),
    'Saved.',
  )
  return (
    <div className="space-y-3 border-t pt-5">
      <Switch
        label="Reject calls by itself"
        hint="Every incoming call is declined at once; a call event tells you."
        checked={session.auto_reject.enabled}
        disabled={set.isPending}
        onChange={enabled => set.mutate(enabled)}
      />
      {session.auto_reject.enabled && (
        <>
          <TextArea
            label="Message to the caller"
            value={message}
            onChange={event => setMessage(event.target.value)}
            maxLength={4096}
            placeholder="Please write to us instead."
            error={set.error ? errorText(set.error) : null}
          />
          <Button small busy={set.isPending} onClick={() => set.mutate(true)}>
            Save the message
          </Button>
        </>
      )}
    </div>
  )
}

function NumberActions({ session }: { session: Session }) {
  const [open, setOpen] = useState<'unlink' | 'restart' | 'send' | null>(null)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const close = () => setOpen(null)
  const path = { id: session.id }
  const restart = async () => {
    await take(api.POST('/v1/sessions/{id}/restart', { params: { path } }))
    await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey })
    toast.done(`${nameOf(session)} restarts.`)
  }
  const unlink = async () => {
    await take(api.DELETE('/v1/sessions/{id}', { params: { path } }))
    await navigate({ to: '/numbers' })
    await queries.invalidateQueries()
    toast.done(`${nameOf(session)} is unlinked.`)
  }
  return (
    <>
      <Button small look="primary" icon={Send} onClick={() => setOpen('send')}>
        Send a message
      </Button>
      {session.platform === 'sandbox' && (
        <ButtonLink small icon={TabletSmartphone} to="/phone" search={{ number: session.id }}>
          Open the phone
        </ButtonLink>
      )}
      <Button small onClick={() => setOpen('restart')}>
        Restart
      </Button>
      <Button small look="quiet-danger" onClick={() => setOpen('unlink')}>
        Unlink
      </Button>
      {open === 'send' && <SendMessage session={session} onClose={close} />}
      {open === 'restart' && (
        <Confirm title={`Restart ${nameOf(session)}?`} action="Restart" onConfirm={restart} onClose={close}>
          <p>The link is closed and opened again. Messages wait meanwhile; nothing is lost.</p>
        </Confirm>
      )}
      {open === 'unlink' && (
        <Confirm
          title={`Unlink ${nameOf(session)}?`}
          action="Unlink the number"
          danger
          onConfirm={unlink}
          onClose={close}
        >
          <p>
            The device is removed from the phone and its credentials are forgotten. Queued messages fail, and its
            webhook becomes inactive until the number is paired again.
          </p>
          <p>This cannot be undone.</p>
        </Confirm>
      )}
    </>
  )
}
