import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { MessageSquare, Send, X } from 'lucide-react'
import { useState } from 'react'
import { type MessageFilter, matchesMessage, messagesQuery } from '../api/messages.ts'
import { rowsOf } from '../api/paging.ts'
import type { Message } from '../api/records.ts'
import { bareId, nameOf, phoneOf, sessionsQuery, showJid } from '../api/sessions.ts'
import { sendCurl } from '../dialogs/send-curl.ts'
import { SendMessage } from '../dialogs/send-message.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { CopyId } from '../ui/copy.tsx'
import { SelectField } from '../ui/field.tsx'
import { LoadMore } from '../ui/load-more.tsx'
import { NewRows } from '../ui/new-rows.tsx'
import { Empty, ErrorNote, Page } from '../ui/page.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { MessageStatus } from '../ui/status.tsx'
import { type Column, Table, TableSkeleton } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { useLiveRows } from '../ui/use-live-rows.ts'

const STATES = [
  { value: '', label: 'Any state' },
  ...['scheduled', 'queued', 'sent', 'delivered', 'read', 'played', 'failed', 'cancelled'].map(state => ({
    value: state,
    label: state.charAt(0).toUpperCase() + state.slice(1),
  })),
]

const columns: Column<Message>[] = [
  {
    header: 'To',
    cell: message => (
      <RowLink list="/messages" id={message.id} title={message.to} className="block max-w-[40vw] truncate sm:max-w-64">
        {showJid(message.to)}
      </RowLink>
    ),
  },
  { header: 'State', cell: message => <MessageStatus state={message.state} /> },
  { header: 'Type', from: 'md', cell: message => message.type },
  { header: 'Reason', from: 'lg', cell: message => message.reason ?? '–' },
  { header: 'From', from: 'md', cell: message => `+${phoneOf(message.session_id)}` },
  { header: 'Id', from: 'lg', cell: message => <CopyId id={message.id} className="max-w-56" /> },
  { header: 'Time', cell: message => <Time at={message.created_at} /> },
]

export function MessagesPage() {
  const filter = useSearch({ from: '/inside/messages' })
  const { id } = useParams({ strict: false })
  const navigate = useNavigate()
  const query = messagesQuery(filter)
  const messages = useInfiniteQuery(query)
  const sessions = useQuery(sessionsQuery).data
  const [sending, setSending] = useState(false)
  const { waiting, showWaiting } = useLiveRows('message', query.queryKey, message => matchesMessage(filter, message))
  const rows = rowsOf(messages.data)
  const sender = sessions?.find(session => bareId(session.id) === filter.number) ?? sessions?.[0]
  return (
    <Page
      title="Messages"
      lead="Everything sent through the gateway, from queued to read. Content is never kept here."
      filters={<Filters filter={filter} />}
      action={
        sender && (
          <Button look="primary" icon={Send} onClick={() => setSending(true)}>
            Send a message
          </Button>
        )
      }
    >
      <NewRows count={waiting} onShow={showWaiting} />
      {messages.error ? (
        <ErrorNote error={messages.error} retry={messages.refetch} />
      ) : messages.isPending ? (
        <TableSkeleton rows={10} />
      ) : rows.length === 0 ? (
        <NoMessages filtered={Object.keys(filter).length > 0} sessionId={sender?.id} />
      ) : (
        <>
          <Table
            label="Messages"
            rows={rows}
            columns={columns}
            rowKey={row => row.id}
            current={id}
            onOpen={row => void navigate({ to: '/messages/$id', params: { id: row.id }, search: filter })}
          />
          <LoadMore query={messages} />
        </>
      )}
      {sending && sender && <SendMessage session={sender} onClose={() => setSending(false)} />}
      <Outlet />
    </Page>
  )
}

function Filters({ filter }: { filter: MessageFilter }) {
  const navigate = useNavigate()
  const sessions = useQuery(sessionsQuery).data ?? []
  const numbers = [
    { value: '', label: 'All numbers' },
    ...sessions.map(session => ({ value: bareId(session.id), label: nameOf(session) })),
  ]
  const set = (name: keyof MessageFilter, value: string) => {
    const { [name]: _old, ...rest } = filter
    void navigate({ to: '/messages', search: value === '' ? rest : ({ ...rest, [name]: value } as MessageFilter) })
  }
  return (
    <>
      <SelectField
        label="State"
        hideLabel
        className="min-w-32 max-sm:flex-1"
        value={filter.state ?? ''}
        onChange={event => set('state', event.target.value)}
        choices={STATES}
      />
      <SelectField
        label="Number"
        hideLabel
        className="min-w-36 max-sm:flex-1"
        value={filter.number ?? ''}
        onChange={event => set('number', event.target.value)}
        choices={numbers}
      />
      {Object.keys(filter).length > 0 && (
        <Button look="quiet" icon={X} onClick={() => void navigate({ to: '/messages', search: {} })}>
          Clear
        </Button>
      )}
    </>
  )
}

function NoMessages({ filtered, sessionId }: { filtered: boolean; sessionId: string | undefined }) {
  if (filtered) {
    return (
      <Empty
        icon={MessageSquare}
        title="Nothing matches"
        actions={<ButtonLink to="/messages">Show all messages</ButtonLink>}
      >
        No message fits these filters.
      </Empty>
    )
  }
  return (
    <Empty
      icon={MessageSquare}
      title="No message yet"
      actions={
        !sessionId && (
          <ButtonLink look="primary" to="/numbers">
            Add a number
          </ButtonLink>
        )
      }
    >
      <p className="mb-4">What your server sends shows here, with each step on its way to the reader.</p>
      {sessionId && <CodeBlock label="Send one" code={sendCurl(sessionId, '15551234567', 'Hello')} />}
    </Empty>
  )
}
