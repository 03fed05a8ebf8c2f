import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { Session } from '../api/records.ts'
import { bareId, nameOf, sessionsQuery } from '../api/sessions.ts'
import { webhooksQuery } from '../api/webhooks.ts'
import { SessionStatus } from '../records/status-marks.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { CopyId } from '../ui/copy.tsx'
import { ErrorNote, Facts, Notice } from '../ui/page.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { ExactTime, Time } from '../ui/time.tsx'
import { NumberActions } from './number-actions.tsx'
import { NumberSettings } from './number-settings.tsx'

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
      <NumberSettings session={session} />
      <NumberLinks session={session} />
    </div>
  )
}

function StateNotice({ session }: { session: Session }) {
  if (session.state === 'logged_out') {
    return (
      <Notice tone="bad">
        <p className="mb-2">
          {session.reason ? sentence(session.reason) : 'The platform has unlinked this device.'} Messages from it fail
          until the number is paired again with the same phone; its webhook then works on.
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
        <LinkTrouble session={session} />
      </Notice>
    )
  }
  return null
}

function LinkTrouble({ session: { reason, until } }: { session: Session }) {
  if (until)
    return (
      <>
        {sentence(reason ?? 'the platform has paused this number')} It is let in again at <ExactTime at={until} />, and
        the gateway comes back by itself then; messages wait up to 10 minutes. Trying earlier would make it longer.
      </>
    )
  return (
    <>
      {reason ? sentence(reason) : 'The link is down.'} The gateway keeps trying where that can help; messages wait up
      to 10 minutes. Check that the phone is online, or restart the number.
    </>
  )
}

/** A reason of the gateway, as a sentence of its own. */
const sentence = (reason: string): string => `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`

function NumberLinks({ session }: { session: Session }) {
  const webhook = useQuery(webhooksQuery).data?.find(({ phone }) => phone === session.phone)
  return (
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
  )
}
