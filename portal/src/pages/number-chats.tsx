import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Archive, ArchiveRestore, Bell, BellOff, type LucideIcon, MessagesSquare, Pin, PinOff } from 'lucide-react'
import { useMemo } from 'react'
import { api, take } from '../api/client.ts'
import { pagedList } from '../api/list-source.ts'
import { chatsQuery } from '../api/number-lists.ts'
import type { Chat, ChatChange } from '../api/records.ts'
import { showJid } from '../api/sessions.ts'
import { IconButton } from '../ui/button.tsx'
import { List } from '../ui/list.tsx'
import { count } from '../ui/numbers-format.ts'
import { Empty, Notice } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import type { Column } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { t } from '../t.ts'
import { NumberFrame } from './number-frame.tsx'

/** A chat that is muted until it is unmuted. */
const FOREVER = '9999-12-31T00:00:00.000Z'

type Change = (chat: Chat, change: ChatChange) => void

const columnsOf = (change: Change): Column<Chat>[] => [
  { header: t('Chat'), width: 'flex-2', cell: chat => <Name chat={chat} /> },
  { header: t('Marks'), from: 'md', width: 'flex-2', cell: chat => <Marks chat={chat} /> },
  { header: t('Unread'), from: 'sm', width: 'w-24', cell: unreadOf },
  {
    header: t('Last activity'),
    from: 'sm',
    width: 'w-32',
    cell: chat => (chat.last_activity ? <Time at={chat.last_activity} /> : '–'),
  },
  { header: t('Actions'), width: 'w-32', cell: chat => <Switches chat={chat} change={change} /> },
]

/** On a small screen, the marks are signs beside the name. */
function Name({ chat }: { chat: Chat }) {
  const signs: [LucideIcon, string][] = [
    ...(chat.pinned ? [[Pin, t('Pinned')] satisfies [LucideIcon, string]] : []),
    ...(chat.archived ? [[Archive, t('Archived')] satisfies [LucideIcon, string]] : []),
    ...(chat.muted_until ? [[BellOff, t('Muted')] satisfies [LucideIcon, string]] : []),
  ]
  return (
    <span className="flex items-center gap-1.5">
      <span className="truncate font-medium">{showJid(chat.jid)}</span>
      {chat.unread > 0 && (
        <span className="sm:hidden">
          <Badge tone="good">{count(chat.unread)}</Badge>
        </span>
      )}
      {signs.map(([Icon, name]) => (
        <Icon key={name} size={13} role="img" aria-label={name} className="shrink-0 text-muted md:hidden" />
      ))}
    </span>
  )
}

const unreadOf = ({ unread, marked_unread }: Chat) =>
  unread > 0 ? count(unread) : marked_unread ? t('Marked ¦ a chat') : '–'

function Marks({ chat: { archived, pinned, muted_until, labels } }: { chat: Chat }) {
  return (
    <span className="flex gap-1.5 overflow-hidden">
      {archived && <Badge>{t('Archived')}</Badge>}
      {pinned && <Badge tone="good">{t('Pinned')}</Badge>}
      {muted_until && <Badge>{t('Muted')}</Badge>}
      {labels.map(({ id, name }) => (
        <Badge key={id} tone="calm">
          {name ?? t('Label {id}', { id })}
        </Badge>
      ))}
    </span>
  )
}

function Switches({ chat, change }: { chat: Chat; change: Change }) {
  const { archived, pinned, muted_until } = chat
  const name = { name: showJid(chat.jid) }
  return (
    <span className="-ml-2 flex">
      <IconButton
        icon={archived ? ArchiveRestore : Archive}
        label={archived ? t('Unarchive {name}', name) : t('Archive {name}', name)}
        onClick={() => change(chat, { archived: !archived })}
      />
      <IconButton
        icon={pinned ? PinOff : Pin}
        label={pinned ? t('Unpin {name}', name) : t('Pin {name}', name)}
        onClick={() => change(chat, { pinned: !pinned })}
      />
      <IconButton
        icon={muted_until ? Bell : BellOff}
        label={muted_until ? t('Unmute {name}', name) : t('Mute {name}', name)}
        onClick={() => change(chat, { muted_until: muted_until ? null : FOREVER })}
      />
    </span>
  )
}

type ChatPages = InfiniteData<
  { data: Chat[]; next_cursor: string | null; synced_at: string | null },
  string | undefined
>

export function NumberChatsPage() {
  const { id } = useParams({ from: '/inside/numbers/$id/chats' })
  const queries = useQueryClient()
  const query = useInfiniteQuery(chatsQuery(id))
  const columns = useMemo(() => {
    const replace = (changed: Chat) =>
      queries.setQueryData<ChatPages>(chatsQuery(id).queryKey, known => known && withChat(known, changed))
    return columnsOf(({ jid }, body) => {
      take(api.PATCH('/v1/sessions/{id}/chats/{jid}', { params: { path: { id, jid } }, body })).then(
        replace,
        toast.failed,
      )
    })
  }, [id, queries])
  const isSyncing = query.data?.pages[0]?.synced_at === null
  return (
    <NumberFrame id={id} title={t('Chats')}>
      {isSyncing && (
        <div className="mb-4">
          <Notice tone="calm">{t('The phone has not shared its chats yet. They appear here when it does.')}</Notice>
        </div>
      )}
      <List
        label={t('Chats')}
        source={pagedList(query)}
        columns={columns}
        rowKey={chat => chat.jid}
        expected={5}
        empty={
          <Empty icon={MessagesSquare} title={t('No chat yet')}>
            {t('The gateway counts activity from the moment at which this list is first opened. It shows no messages.')}
          </Empty>
        }
      />
    </NumberFrame>
  )
}

const withChat = (known: ChatPages, changed: Chat): ChatPages => ({
  ...known,
  pages: known.pages.map(page => ({ ...page, data: page.data.map(row => (row.jid === changed.jid ? changed : row)) })),
})
