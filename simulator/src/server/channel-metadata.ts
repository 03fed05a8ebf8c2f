import { createHash } from 'node:crypto'
import type { Channel } from '../world/channel.ts'

export function roleOf(channel: Channel, digits: string): 'OWNER' | 'ADMIN' | 'SUBSCRIBER' | 'GUEST' {
  if (channel.owner === digits) return 'OWNER'
  if (channel.admins?.has(digits)) return 'ADMIN'
  return channel.followers.has(digits) ? 'SUBSCRIBER' : 'GUEST'
}

/** The code at the end of the link that shows the channel to everyone. */
export const inviteOf = ({ jid }: Channel): string =>
  createHash('sha256').update(jid).digest('base64url').replaceAll(/[-_]/g, 'A').slice(0, 24)

/** Which of the fields an answer has: the list has no count, and older queries have another form. */
export type MetadataForm = 'whole' | 'listed' | 'older'

/** The metadata that a channel shows to the person with these digits. */
export function channelMetadata(channel: Channel, digits: string, form: MetadataForm = 'whole') {
  const created = String(channel.created)
  const at = `${created}000000`
  const { picture } = channel
  const none = form === 'older' ? { id: '0', type: 'IMAGE', direct_path: '' } : null
  const isMuted = channel.muted?.has(digits) === true
  const mute = isMuted ? 'ON' : 'OFF'
  return {
    id: channel.jid,
    state: { type: channel.state ?? 'ACTIVE' },
    thread_metadata: {
      name: { text: channel.name, id: created, update_time: at },
      description: { text: channel.description, id: created, update_time: at },
      creation_time: created,
      invite: inviteOf(channel),
      handle: null,
      picture: picture ? { id: picture.id, type: 'IMAGE', direct_path: picture.path } : none,
      preview: { id: picture?.id ?? '0', type: 'PREVIEW', direct_path: picture?.path ?? '' },
      ...(form !== 'listed' && { subscribers_count: String(channel.followers.size) }),
      verification: 'UNVERIFIED',
      settings: { reaction_codes: { value: channel.reactionMode ?? 'ALL' } },
    },
    viewer_metadata: {
      role: roleOf(channel, digits),
      ...(form === 'older'
        ? { mute }
        : {
            settings: [
              { type: 'MUTE_FOLLOWER_ACTIVITY', value: 'OFF' },
              { type: 'MUTE_ADMIN_ACTIVITY', value: mute },
            ],
          }),
    },
  }
}
