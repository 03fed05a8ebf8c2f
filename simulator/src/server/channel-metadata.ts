import type { Channel } from '../world/channel.ts'

function roleOf(channel: Channel, digits: string): string {
  if (channel.owner === digits) return 'OWNER'
  return channel.followers.has(digits) ? 'SUBSCRIBER' : 'GUEST'
}

/** The metadata that a channel shows to the person with these digits. */
export function channelMetadata(channel: Channel, digits: string) {
  const created = String(channel.created)
  return {
    id: channel.jid,
    state: { type: 'ACTIVE' },
    thread_metadata: {
      name: { text: channel.name, id: created, update_time: `${created}000000` },
      description: { text: channel.description, id: created, update_time: `${created}000000` },
      creation_time: created,
      invite: Buffer.from(channel.jid).toString('base64url').slice(0, 22),
      handle: null,
      picture: { id: '0', type: 'IMAGE', direct_path: '' },
      preview: { id: '0', type: 'PREVIEW', direct_path: '' },
      subscribers_count: String(channel.followers.size),
      verification: 'UNVERIFIED',
      settings: { reaction_codes: { value: 'ALL', blocked_codes: [] } },
    },
    viewer_metadata: { mute: 'OFF', role: roleOf(channel, digits) },
  }
}
