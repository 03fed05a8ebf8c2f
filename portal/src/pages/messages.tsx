import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { MessageSquare, Send } from 'lucide-react'
import { useMemo, useState } from 'react'
import { pagedList } from '../api/list-source.ts'
import { failureName, holdName, type MessageFilter, matchesMessage, messagesQuery } from '../api/messages.ts'
import type { Message } from '../api/records.ts'
import { bareId, sessionsQuery, showJid } from '../api/sessions.ts'
import { useFirstNumber } from '../api/use-first-number.ts'
import { useLiveRows } from '../api/use-live-rows.ts'
import { useNumberNames } from '../api/use-number-names.ts'
import { useNumberChoices } from '../api/use-number-choices.ts'
import { sendCurl } from '../dialogs/send-curl.ts'
import { SendMessage } from '../dialogs/send-message.tsx'
import { FIRST_CONTACT } from '../phone/chats.ts'
import { MessageStatus, stateWord } from '../records/status-marks.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { CopyId } from '../ui/copy.tsx'
import type { Choice } from '../ui/field.tsx'
import { type FilterField, Filters } from '../ui/filters.tsx'
import { FindById } from '../ui/find-by-id.tsx'
import { List } from '../ui/list.tsx'
import { Empty, Page } from '../ui/page.tsx'
import { RowLink } from '../ui/row-link.tsx'
import type { Column } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { ReceivedMessages } from './received-messages.tsx'
import { t } from '../t.ts'

const STATES = [
  { value: '', label: t('Any state') },
  ...['scheduled', 'queued', 'sent', 'delivered', 'read', 'played', 'failed', 'cancelled'].map(state => ({
    value: state,
    label: stateWord(state),
  })),
]

const DIRECTIONS = [
  { value: '', label: t('Sent ¦ messages') },
  { value: 'received', label: t('Received') },
]

/** Received messages have no states. */
const fieldsOf = (numbers: Choice[], received: boolean): FilterField<MessageFilter>[] => [
  { name: 'direction', label: t('Direction'), kind: 'choice', choices: DIRECTIONS },
  ...(received ? [] : [{ name: 'state', label: t('State'), kind: 'choice', choices: STATES } as const]),
  { name: 'number', label: t('Number'), kind: 'choice', choices: numbers },
]

const columnsOf = (nameOfNumber: (sessionId: string) => string): Column<Message>[] => [
  {
    header: t('To'),
    width: 'flex-2',
    cell: message => (
      <RowLink list="/messages" id={message.id} title={message.to} className="block truncate">
        {showJid(message.to)}
      </RowLink>
    ),
  },
  { header: t('State'), width: 'w-34 sm:w-38', cell: message => <MessageStatus state={message.state} /> },
  {
    header: t('Text'),
    from: 'sm',
    width: 'flex-3',
    has: message => message.preview !== null,
    cell: message => (
      <span className="text-muted" title={message.preview ?? undefined}>
        {message.preview}
      </span>
    ),
  },
  { header: t('Type'), from: 'md', width: 'w-28', cell: message => message.type },
  {
    header: t('Reason'),
    from: 'xl',
    width: 'w-56',
    has: message => message.reason !== null || message.held_because !== null,
    cell: message => <Reason message={message} />,
  },
  { header: t('From'), from: 'md', width: 'w-40', cell: message => nameOfNumber(message.session_id) },
  { header: t('Id'), from: 'lg', width: 'flex-2', cell: message => <CopyId id={message.id} className="-ml-1" /> },
  { header: t('Time'), width: 'w-26 sm:w-28', cell: message => <Time at={message.created_at} /> },
]

function Reason({ message }: { message: Message }) {
  if (message.held_because !== null) return <span className="text-muted">{holdName(message.held_because)}</span>
  if (message.reason === null) return null
  return <span title={message.reason}>{failureName(message)}</span>
}

export function MessagesPage() {
  const filter = useSearch({ from: '/inside/messages' })
  const { id } = useParams({ strict: false })
  const navigate = useNavigate()
  const received = filter.direction === 'received'
  const fields = fieldsOf(useNumberChoices(), received)
  const query = messagesQuery(filter)
  const messages = pagedList(useInfiniteQuery({ ...query, enabled: !received }))
  const nameOfNumber = useNumberNames()
  const columns = useMemo(() => columnsOf(nameOfNumber), [nameOfNumber])
  const sessions = useQuery(sessionsQuery).data
  const [sending, setSending] = useState(false)
  const fresh = useLiveRows('message', query.queryKey, message => matchesMessage(filter, message))
  const first = useFirstNumber()
  const sender = sessions?.find(session => bareId(session.id) === filter.number) ?? first
  return (
    <Page
      title={t('Messages')}
      lead={t('Everything sent and received through the gateway. Content is not kept, except on sandbox numbers.')}
      filters={
        <>
          <Filters fields={fields} filter={filter} onChange={search => void navigate({ to: '/messages', search })} />
          <FindById list="/messages" prefix="msg_" />
        </>
      }
      action={
        sessions?.length !== 0 && (
          <Button look="primary" icon={Send} disabled={!sender} onClick={() => setSending(true)}>
            {t('Send a message')}
          </Button>
        )
      }
    >
      {received ? (
        <ReceivedMessages number={filter.number} />
      ) : (
        <List
          label={t('Messages')}
          source={messages}
          fresh={fresh}
          columns={columns}
          rowKey={row => row.id}
          current={id}
          onOpen={row => void navigate({ to: '/messages/$id', params: { id: row.id }, search: filter })}
          expected={10}
          empty={<NoMessages filtered={Object.keys(filter).length > 0} sessionId={sender?.id} />}
        />
      )}
      {sending && sender && <SendMessage session={sender} onClose={() => setSending(false)} />}
      <Outlet />
    </Page>
  )
}

function NoMessages({ filtered, sessionId }: { filtered: boolean; sessionId: string | undefined }) {
  if (filtered) {
    return (
      <Empty
        icon={MessageSquare}
        title={t('Nothing matches')}
        actions={<ButtonLink to="/messages">{t('Show all messages')}</ButtonLink>}
      >
        {t('No message matches these filters.')}
      </Empty>
    )
  }
  return (
    <Empty
      icon={MessageSquare}
      title={t('No message yet')}
      actions={
        !sessionId && (
          <ButtonLink look="primary" to="/numbers">
            {t('Add a number')}
          </ButtonLink>
        )
      }
    >
      <p className="mb-4">{t('Messages from your server appear here, with each step until they are read.')}</p>
      {sessionId && <CodeBlock label={t('Send one')} code={sendCurl(sessionId, FIRST_CONTACT, 'Hello')} />}
    </Empty>
  )
}
