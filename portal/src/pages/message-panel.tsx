import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api, take } from '../api/client.ts'
import { holdName, messageFailure, messageQuery, messagesQuery } from '../api/messages.ts'
import { rowsOf } from '../api/paging.ts'
import type { Message, MessageDetail, Session, Webhook } from '../api/records.ts'
import { nameAndPhone, phoneOf, sessionsQuery, showJid } from '../api/sessions.ts'
import { trailQuery } from '../api/trail.ts'
import { webhooksQuery } from '../api/webhooks.ts'
import { MessageTimeline } from '../records/message-timeline.tsx'
import { RecordLink } from '../records/record-link.tsx'
import { MessageStatus } from '../records/status-marks.tsx'
import { Button } from '../ui/button.tsx'
import { CopyId } from '../ui/copy.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { JsonTree } from '../ui/json-tree.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Facts, Notice } from '../ui/page.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { ExactTime } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { capitalized } from '../capitalized.ts'
import { rich } from '../rich.ts'
import { t } from '../t.ts'
import { showPhone } from '../phone-number.ts'

export function MessagePanel() {
  const { id } = useParams({ from: '/inside/messages/$id' })
  const filter = useSearch({ from: '/inside/messages' })
  const rows = rowsOf(useInfiniteQuery(messagesQuery(filter)).data)
  const query = useQuery(messageQuery(id))
  const message = query.data
  const navigate = useNavigate()
  const at = rows.findIndex(row => row.id === id)
  const stepTo = (row: Message | undefined) =>
    row && (() => void navigate({ to: '/messages/$id', params: { id: row.id }, search: true, replace: true }))
  return (
    <SidePanel
      title={message ? t('To {to}', { to: showJid(message.to) }) : t('Message')}
      subject={id}
      onClose={() => void navigate({ to: '/messages', search: true })}
      onPrevious={stepTo(rows[at - 1])}
      onNext={at === -1 ? undefined : stepTo(rows[at + 1])}
      actions={message && !isOver(message) && <Actions message={message} />}
    >
      <Loaded query={query} skeleton={SKELETON}>
        {shown => <Details message={shown} />}
      </Loaded>
    </SidePanel>
  )
}

const SKELETON = <div aria-hidden className="skeleton h-80" />

function Details({ message }: { message: MessageDetail }) {
  const failure = messageFailure(message)
  const [trail, sessions, webhooks] = [
    useQuery(trailQuery(message.id)),
    useQuery(sessionsQuery),
    useQuery(webhooksQuery),
  ]
  // Shown together: a part that arrives later would push down what the user reads.
  if (trail.isPending || sessions.isPending || webhooks.isPending) return SKELETON
  const deliveries = trail.data
  const phone = phoneOf(message.session_id)
  const session = sessions.data?.find(each => each.phone === phone)
  const webhook = webhooks.data?.find(each => each.phone === phone)
  return (
    <div className="space-y-6">
      {failure && (
        <Notice tone={failure.passes ? 'waiting' : 'bad'}>
          <b>
            {failure.passes ? t('Refused for now ({reason}).', { reason: message.reason ?? '' }) : `${message.reason}.`}
          </b>{' '}
          {failure.words}
          {message.detail && <span className="mt-1 block text-[13px]">{capitalized(message.detail)}.</span>}
        </Notice>
      )}
      {message.held_because !== null && message.held_until !== null && (
        <Notice tone="waiting">
          {rich('{why}, until {time}. The pace of the number decides that.', {
            why: <b>{holdName(message.held_because)}</b>,
            time: <ExactTime at={message.held_until} />,
          })}
        </Notice>
      )}
      <section>
        <h3 className="mb-3 font-semibold">{t('Timeline')}</h3>
        <MessageTimeline message={message} deliveries={deliveries ?? []} />
        {deliveries?.length === 0 && webhook === undefined && (
          <p className="mt-3 text-[13px] text-muted">
            {rich('No webhook reports it to your server. {recordlink}', {
              recordlink: (
                <RecordLink to="/webhooks/new" search={{ number: message.session_id }}>
                  {t('Set one')}
                </RecordLink>
              ),
            })}
          </p>
        )}
      </section>
      <Facts facts={factsOf(message, session, webhook)} />
      {message.content !== undefined && (
        <section>
          <h3 className="mb-2 font-semibold">{t('Content')}</h3>
          <p className="mb-2 text-[13px] text-muted">
            {t('Shown while the message waits, and on sandbox numbers. Otherwise it is not stored.')}
          </p>
          <JsonTree label={t('Content')} value={message.content} />
        </section>
      )}
    </div>
  )
}

function factsOf(
  message: MessageDetail,
  session: Session | undefined,
  webhook: Webhook | undefined,
): [string, ReactNode][] {
  const from = session ? (
    <RecordLink key="from" to="/numbers/$id" params={{ id: session.id }}>
      {nameAndPhone(session)}
    </RecordLink>
  ) : (
    showPhone(phoneOf(message.session_id))
  )
  const facts: [string, ReactNode][] = [
    [t('State'), <MessageStatus key="state" state={message.state} />],
    [t('Id'), <CopyId key="id" id={message.id} className="-ml-1" />],
    [t('Request id'), <CopyId key="request" id={message.request_id} className="-ml-1" />],
    [t('Platform id'), <CopyId key="platform" id={message.messenger_message_id} className="-ml-1" />],
    [t('From'), from],
    [t('To'), <CopyId key="to" id={message.to} className="-ml-1" />],
    [t('Type'), message.type],
  ]
  if (webhook) {
    const link = (
      <RecordLink key="webhook" mono to="/webhooks/$id" params={{ id: webhook.id }}>
        {webhook.id}
      </RecordLink>
    )
    facts.push([t('Webhook'), link])
  }
  if (message.send_at) facts.push([t('Send at'), <ExactTime key="at" at={message.send_at} />])
  return facts
}

const isOver = ({ state }: Message): boolean => state === 'failed' || state === 'cancelled'

function Actions({ message }: { message: MessageDetail }) {
  const [asking, setAsking] = useState(false)
  const queries = useQueryClient()
  const waits = message.state === 'queued' || message.state === 'scheduled'
  const remove = async () => {
    const { status } = await take(api.DELETE('/v1/messages/{id}', { params: { path: { id: message.id } } }))
    toast.done(status === 'cancelled' ? t('The message is cancelled.') : t('It is being deleted for everyone.'))
    await queries.invalidateQueries({ queryKey: ['message', message.id] })
    await queries.invalidateQueries({ queryKey: ['messages'] })
  }
  return (
    <>
      <Button small look="quiet-danger" onClick={() => setAsking(true)}>
        {waits ? t('Cancel the message') : t('Delete for everyone')}
      </Button>
      {asking && (
        <Confirm
          title={waits ? t('Cancel this message?') : t('Delete this message for everyone?')}
          action={waits ? t('Cancel the message') : t('Delete for everyone')}
          danger
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p>
            {waits
              ? t('It has not been sent and never will be.')
              : t('It disappears from the chat with {to}. The platform allows this for about two days.', {
                  to: showJid(message.to),
                })}
          </p>
          <p>{t('This cannot be undone.')}</p>
        </Confirm>
      )}
    </>
  )
}
