import type { Network } from '../network.ts'
import type { Channel } from './channel.ts'
import { channelMetadata } from './channel-metadata.ts'
import { followingChange } from './message-stanzas.ts'
import { push } from './outbox.ts'
import { nowText, stanzaId } from './stanzas.ts'

/** Tells all devices of a person that a channel is followed by now, or no longer. */
export function announceFollowing(network: Network, channel: Channel, digits: string): void {
  const metadata = channelMetadata(channel, digits)
  const change = channel.followers.has(digits)
    ? { operation: 'NotificationNewsletterJoin', path: 'xwa2_notify_newsletter_on_join', value: metadata }
    : { operation: 'NotificationNewsletterLeave', path: 'xwa2_notify_newsletter_on_leave', value: { id: channel.jid } }
  for (const device of network.users.get(digits)?.devices.values() ?? []) {
    push(network, device, followingChange(stanzaId(), nowText(), change))
  }
}

export function changeFollowing(network: Network, channel: Channel, digits: string, follows: boolean): void {
  if (channel.followers.has(digits) === follows) return
  if (follows) channel.followers.add(digits)
  else channel.followers.delete(digits)
  network.journal.put(`channel/${channel.jid}`, () => channel)
  announceFollowing(network, channel, digits)
}
