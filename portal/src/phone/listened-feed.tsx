import { eventName, otherSide } from '../api/event-names.ts'
import type { ListenedEvent, Session } from '../api/records.ts'
import { bareId, showJid } from '../api/sessions.ts'
import { JsonTree } from '../ui/json-tree.tsx'
import { ErrorNote } from '../ui/page.tsx'
import { EventLine } from './event-line.tsx'
import { useListened } from './use-listened.ts'
import { rich } from '../rich.ts'
import { t } from '../t.ts'

/** The same lines as `postern listen` prints, for a number without a webhook. */
export function ListenedFeed({ session, shown }: { session: Session; shown: number }) {
  const { events, error } = useListened()
  const own = events.filter(({ session_id }) => bareId(session_id) === bareId(session.id))
  if (error) return <ErrorNote error={error} />
  if (own.length === 0) {
    return (
      <p className="py-10 text-center text-muted">
        {rich('Events appear here as {command} prints them. Write something on the phone.', {
          command: <code className="font-mono">postern listen</code>,
        })}
      </p>
    )
  }
  return (
    <ul aria-label={t('Events')} className="divide-y">
      {own.slice(0, shown).map(event => (
        <EventEntry key={event.event_id} event={event} />
      ))}
    </ul>
  )
}

function EventEntry({ event }: { event: ListenedEvent }) {
  const payload = JSON.parse(event.body) as unknown
  const who = otherSide({ payload })
  return (
    <EventLine
      type={eventName({ kind: event.kind, payload })}
      at={event.created_at}
      id={event.message_id}
      who={who && showJid(who)}
    >
      <JsonTree label={t('Payload')} value={payload} />
    </EventLine>
  )
}
