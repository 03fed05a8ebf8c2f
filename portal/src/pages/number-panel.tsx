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
import { NumberHealth } from './number-health.tsx'
import { NumberSettings, Resume } from './number-settings.tsx'
import { rich } from '../rich.ts'
import { t } from '../t.ts'
import { showPhone } from '../phone-number.ts'

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
      title={session ? nameOf(session) : t('Number')}
      subject={id}
      onClose={() => void navigate({ to: '/numbers' })}
      onPrevious={stepTo(sessions?.[at - 1])}
      onNext={at === -1 ? undefined : stepTo(sessions?.[at + 1])}
      actions={session && <NumberActions session={session} />}
    >
      {error && <ErrorNote error={error} />}
      {sessions && !session && (
        <ErrorNote error={new Error(t('This account has no such number. It may have been unlinked.'))} />
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
          [t('State'), <SessionStatus key="state" session={session} />],
          [t('Session id'), <CopyId key="id" id={session.id} className="-ml-1" />],
          [t('Phone'), showPhone(session.phone)],
          [t('Kind'), session.platform === 'sandbox' ? t('Sandbox number') : t('Linked phone')],
          [t('Worker'), session.hosted ? t('Running') : t('Not running')],
          [t('Connected'), session.connected_at ? <ExactTime key="connected" at={session.connected_at} /> : t('Never')],
          [t('Last event'), session.last_event_at ? <Time key="last" at={session.last_event_at} /> : t('None yet')],
        ]}
      />
      <NumberHealth session={session} />
      <NumberLinks session={session} />
      <NumberSettings session={session} />
    </div>
  )
}

function StateNotice({ session }: { session: Session }) {
  if (session.state === 'logged_out') {
    return (
      <Notice tone="bad">
        <p className="mb-2">
          {t(
            '{why} Messages from it fail until the number is paired again with the same phone; its webhook then works again.',
            { why: session.reason ? sentence(session.reason) : t('The platform has unlinked this device.') },
          )}
        </p>
        <ButtonLink
          small
          to="/link"
          search={session.platform === 'sandbox' ? { platform: 'sandbox', phone: session.phone } : {}}
        >
          {t('Pair it again')}
        </ButtonLink>
      </Notice>
    )
  }
  if (session.paused) {
    return (
      <Notice tone="waiting">
        <p className="mb-2">{t('You have paused this number. It stays linked, but sends and receives nothing.')}</p>
        <Resume session={session} />
      </Notice>
    )
  }
  if (session.restricted_until) {
    return (
      <Notice tone="waiting">
        {rich(
          'The platform restricts this number until {time}. Messages to people who have not written before may be refused. Send less, and only to people who expect it.',
          { time: <ExactTime at={session.restricted_until} /> },
        )}
      </Notice>
    )
  }
  if (session.new_chats?.status === 'capped') {
    return (
      <Notice tone="waiting">
        {t(
          'The platform lets this number begin no more new chats for now. People who have written before can be answered.',
        )}
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
        {rich(
          '{why} The platform accepts it again at {time}, and the gateway then reconnects automatically; messages wait up to 10 minutes. An earlier attempt would extend the wait.',
          { why: sentence(reason ?? t('the platform has paused this number')), time: <ExactTime at={until} /> },
        )}
      </>
    )
  return (
    <>
      {t(
        '{why} The gateway keeps trying if that can help; messages wait up to 10 minutes. Check that the phone is online, or restart the number.',
        { why: reason ? sentence(reason) : t('The connection is down.') },
      )}
    </>
  )
}

/** A reason of the gateway as a sentence. */
const sentence = (reason: string): string => `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`

function NumberLinks({ session }: { session: Session }) {
  const webhook = useQuery(webhooksQuery).data?.find(({ phone }) => phone === session.phone)
  const params = { id: session.id }
  return (
    <div className="flex flex-wrap gap-2">
      {webhook ? (
        <ButtonLink small to="/webhooks/$id" params={{ id: webhook.id }}>
          {t('Open its webhook')}
        </ButtonLink>
      ) : (
        <ButtonLink small to="/webhooks/new" search={{ number: session.id }}>
          {t('Set a webhook')}
        </ButtonLink>
      )}
      <ButtonLink small to="/messages" search={{ number: bareId(session.id) }}>
        {t('Its messages')}
      </ButtonLink>
      <ButtonLink small to="/deliveries" search={{ number: bareId(session.id) }}>
        {t('Its deliveries')}
      </ButtonLink>
      <ButtonLink small to="/numbers/$id/chats" params={params}>
        {t('Its chats')}
      </ButtonLink>
      <ButtonLink small to="/numbers/$id/groups" params={params}>
        {t('Its groups')}
      </ButtonLink>
      <ButtonLink small to="/numbers/$id/channels" params={params}>
        {t('Its channels')}
      </ButtonLink>
    </div>
  )
}
