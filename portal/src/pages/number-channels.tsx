import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { BadgeCheck, Megaphone, Plus, Search } from 'lucide-react'
import { useMemo } from 'react'
import { api, take } from '../api/client.ts'
import { pagedList } from '../api/list-source.ts'
import { channelsQuery } from '../api/number-lists.ts'
import type { Channel } from '../api/records.ts'
import { CreateChannel } from '../dialogs/create-channel.tsx'
import { FollowChannel } from '../dialogs/follow-channel.tsx'
import { Button } from '../ui/button.tsx'
import { CopyButton, CopyId } from '../ui/copy.tsx'
import { List } from '../ui/list.tsx'
import { Empty } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import type { Column } from '../ui/table.tsx'
import { toast } from '../ui/toast.tsx'
import { t } from '../t.ts'
import { NumberFrame } from './number-frame.tsx'

const ROLE_WORDS: Record<NonNullable<Channel['role']>, string> = {
  owner: t('Owner ¦ of a group'),
  admin: t('Admin'),
  follower: t('Follower'),
  guest: t('Does not follow'),
}

const columnsOf = (id: string): Column<Channel>[] => [
  {
    header: t('Channel'),
    width: 'flex-2',
    cell: channel => (
      <span className="flex items-center gap-2">
        <span className="truncate font-medium">{channel.name || channel.jid}</span>
        {channel.verified && (
          <BadgeCheck size={15} role="img" aria-label={t('Verified')} className="shrink-0 text-accent" />
        )}
        {channel.muted && <Badge>{t('Muted')}</Badge>}
      </span>
    ),
  },
  {
    header: t('Role of this number'),
    from: 'sm',
    width: 'w-40',
    cell: ({ role }) => (role === null ? '–' : ROLE_WORDS[role]),
  },
  { header: 'JID', from: 'md', width: 'flex-2', cell: channel => <CopyId id={channel.jid} className="-ml-1" /> },
  {
    header: t('Link'),
    from: 'lg',
    width: 'w-40',
    cell: ({ invite }) => (invite === null ? '–' : <CopyButton text={invite} label={t('Copy the link')} />),
  },
  {
    header: t('Actions'),
    width: 'w-32',
    cell: channel => (channel.role === 'follower' ? <Unfollow id={id} channel={channel} /> : '–'),
  },
]

function Unfollow({ id, channel: { jid, name } }: { id: string; channel: Channel }) {
  const queries = useQueryClient()
  const unfollow = useMutation({
    mutationFn: () =>
      take(api.DELETE('/v1/sessions/{id}/newsletters/{nl}/follow', { params: { path: { id, nl: jid } } })),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: channelsQuery(id).queryKey })
      toast.done(t('The number no longer follows {name}.', { name }))
    },
    onError: toast.failed,
  })
  return (
    <Button small look="quiet" busy={unfollow.isPending} onClick={() => unfollow.mutate()} className="-ml-2.5">
      {t('Unfollow')}
    </Button>
  )
}

export function NumberChannelsPage() {
  const { id } = useParams({ from: '/inside/numbers/$id/channels' })
  const { add } = useSearch({ from: '/inside/numbers/$id/channels' })
  const navigate = useNavigate()
  const columns = useMemo(() => columnsOf(id), [id])
  const show = (dialog?: 'channel' | 'follow') =>
    void navigate({ to: '/numbers/$id/channels', params: { id }, search: dialog ? { add: dialog } : {} })
  const actions = (
    <>
      <Button icon={Search} onClick={() => show('follow')}>
        {t('Find a channel')}
      </Button>
      <Button look="primary" icon={Plus} onClick={() => show('channel')}>
        {t('Create a channel')}
      </Button>
    </>
  )
  return (
    <NumberFrame id={id} title={t('Channels')} action={actions}>
      <List
        label={t('Channels')}
        source={pagedList(useInfiniteQuery(channelsQuery(id)))}
        columns={columns}
        rowKey={channel => channel.jid}
        expected={5}
        empty={
          <Empty icon={Megaphone} title={t('No channel yet')} actions={actions}>
            {t('Find a channel by its link and follow it, or create one: people who follow it see its posts.')}
          </Empty>
        }
      />
      {add === 'channel' && <CreateChannel id={id} onClose={() => show()} />}
      {add === 'follow' && <FollowChannel id={id} onClose={() => show()} />}
    </NumberFrame>
  )
}
