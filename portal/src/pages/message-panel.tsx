import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api, take } from '../api/client.ts'
import { messageQuery, messagesQuery, REASON_WORDS } from '../api/messages.ts'
import { rowsOf } from '../api/paging.ts'
import type { Message, MessageDetail, MessageState } from '../api/records.ts'
import { phoneOf, showJid } from '../api/sessions.ts'
import { lookUp } from '../look-up.ts'
import { MessageStatus } from '../records/status-marks.tsx'
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { CopyId } from '../ui/copy.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { JsonTree } from '../ui/json-tree.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Facts, Notice } from '../ui/page.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { ExactTime } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'

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
      title={message ? `To ${showJid(message.to)}` : 'Message'}
      subject={id}
      onClose={() => void navigate({ to: '/messages', search: true })}
      onPrevious={stepTo(rows[at - 1])}
      onNext={at === -1 ? undefined : stepTo(rows[at + 1])}
      actions={message && <Actions message={message} />}
    >
      <Loaded query={query} skeleton={<div aria-hidden className="skeleton h-80" />}>
        {shown => <Details message={shown} />}
      </Loaded>
    </SidePanel>
  )
}

function Details({ message }: { message: MessageDetail }) {
  return (
    <div className="space-y-6">
      {message.reason && (
        <Notice tone="bad">
          <b>{message.reason}.</b> {lookUp(REASON_WORDS, message.reason)}
          {message.detail && <span className="mt-1 block text-[13px]">{message.detail}</span>}
        </Notice>
      )}
      <section>
        <h3 className="mb-3 font-semibold">What became of it</h3>
        <Timeline message={message} />
      </section>
      <Facts
        facts={[
          ['State', <MessageStatus key="state" state={message.state} />],
          ['Id', <CopyId key="id" id={message.id} className="-ml-1" />],
          ['Request id', <CopyId key="request" id={message.request_id} className="-ml-1" />],
          ['Platform id', <CopyId key="platform" id={message.messenger_message_id} className="-ml-1" />],
          ['From', `+${phoneOf(message.session_id)}`],
          ['To', <CopyId key="to" id={message.to} className="-ml-1" />],
          ['Type', message.type],
          ...(message.send_at ? [['Send at', <ExactTime key="at" at={message.send_at} />] as [string, ReactNode]] : []),
        ]}
      />
      {message.content !== undefined && (
        <section>
          <h3 className="mb-2 font-semibold">Content</h3>
          <p className="mb-2 text-[13px] text-muted">
            Shown while it waits, and on sandbox numbers. It is not kept otherwise.
          </p>
          <JsonTree label="Content" value={message.content} />
        </section>
      )}
    </div>
  )
}

const NEXT: Partial<Record<MessageState, MessageState[]>> = {
  scheduled: ['queued', 'sent', 'delivered', 'read'],
  queued: ['sent', 'delivered', 'read'],
  sent: ['delivered', 'read'],
  delivered: ['read'],
}

const ORDER = ['scheduled', 'queued', 'sent', 'delivered', 'read', 'played', 'failed', 'cancelled']
const FOLLOW_UPS = ['edited', 'edit_failed', 'revoked', 'revoke_failed']
const place = (state: string): number => (FOLLOW_UPS.includes(state) ? ORDER.length : ORDER.indexOf(state))

/** The states that it went through, and those that may come. Receipts carry whole seconds, so times alone do not order them. */
function Timeline({ message }: { message: MessageDetail }) {
  const steps = message.history.toSorted((a, b) => place(a.state) - place(b.state))
  return (
    <ol className="relative ml-1.5 space-y-3 border-l pl-5">
      {steps.map((step, index) => (
        <li key={`${step.state} ${step.recipient ?? ''} ${index}`} className="relative">
          <span
            aria-hidden
            className={classes(
              'absolute top-1.5 -left-[25px] size-2.5 rounded-full',
              step.state.endsWith('failed') ? 'bg-danger' : 'bg-accent',
            )}
          />
          <p className="font-medium capitalize">{step.state.replace('_', ' ')}</p>
          <p className="text-[13px] text-muted">
            <ExactTime at={step.at} />
            {step.recipient && ` · ${showJid(step.recipient)}`}
            {step.detail && ` · ${step.detail}`}
          </p>
        </li>
      ))}
      {(NEXT[message.state] ?? []).map(state => (
        <li key={state} className="relative text-muted">
          <span
            aria-hidden
            className="absolute top-1.5 -left-[25px] size-2.5 rounded-full border-2 border-line-strong bg-surface"
          />
          <p className="capitalize">{state}</p>
        </li>
      ))}
    </ol>
  )
}

function Actions({ message }: { message: MessageDetail }) {
  const [asking, setAsking] = useState(false)
  const queries = useQueryClient()
  const waits = message.state === 'queued' || message.state === 'scheduled'
  if (message.state === 'failed' || message.state === 'cancelled') return null
  const remove = async () => {
    const { status } = await take(api.DELETE('/v1/messages/{id}', { params: { path: { id: message.id } } }))
    toast.done(status === 'cancelled' ? 'The message is cancelled.' : 'It is being deleted for everyone.')
    await queries.invalidateQueries({ queryKey: ['message', message.id] })
    await queries.invalidateQueries({ queryKey: ['messages'] })
  }
  return (
    <>
      <Button small look="quiet-danger" onClick={() => setAsking(true)}>
        {waits ? 'Cancel the message' : 'Delete for everyone'}
      </Button>
      {asking && (
        <Confirm
          title={waits ? 'Cancel this message?' : 'Delete this message for everyone?'}
          action={waits ? 'Cancel the message' : 'Delete for everyone'}
          danger
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p>
            {waits
              ? 'It has not been sent and never will be.'
              : `It disappears from the chat with ${showJid(message.to)}. The platform allows this for about two days.`}
          </p>
          <p>This cannot be undone.</p>
        </Confirm>
      )}
    </>
  )
}
