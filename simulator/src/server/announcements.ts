import { nowText } from '../clock.ts'
import { lidJid, numberJid, SERVER_JID } from '../jid.ts'
import { type BinaryNode, node } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { userOf } from '../people.ts'
import { push, transmit } from './outbox.ts'
import { stanzaId } from './stanzas.ts'

/** Whom and what an announcement is about. */
interface About {
  readonly own: string
  /** The contact, by number and by hidden identifier. */
  readonly jid: string
  readonly lid: string
  /** The number that the contact has from now on. */
  readonly newJid: string
  readonly group: string
  readonly message: string
  readonly call: string
  readonly t: string
}

const HASH = '2:47DEQpj8'

const notification =
  (type: string, from: (about: About) => string, content: (about: About) => BinaryNode) =>
  (about: About): BinaryNode =>
    node('notification', { type, from: from(about) }, [content(about)])
const ofServer = (): string => SERVER_JID
const ofOwn = ({ own }: About): string => own
const ofContact = ({ jid }: About): string => jid
const ofGroup = ({ group }: About): string => group

const receipt =
  (type: string, from: (about: About) => string, more: (about: About) => Record<string, string> = () => ({})) =>
  (about: About): BinaryNode =>
    node('receipt', { type, from: from(about), id: about.message, ...more(about) })

const call =
  (tag: string) =>
  ({ lid, jid, call: id }: About): BinaryNode =>
    node('call', { from: lid }, [node(tag, { 'call-id': id, 'call-creator': lid, caller_pn: jid })])

/**
 * What the platform announces in ordinary life and no person of the simulator causes otherwise, by its name in the
 * vocabulary of the grammar.
 */
const ANNOUNCEMENTS = {
  'call accept': call('accept'),
  'call offer_notice': call('offer_notice'),
  'call preaccept': call('preaccept'),
  'call reject': call('reject'),
  'call transport': call('transport'),
  'ib dirty': ({ t }) => node('ib', { from: SERVER_JID }, [node('dirty', { type: 'account_sync', timestamp: t })]),
  'ib thread_metadata': ({ jid, t }) =>
    node('ib', { from: SERVER_JID }, [node('thread_metadata', {}, [node('item', { from: jid, t })])]),
  'notification account_sync blocklist': notification('account_sync', ofOwn, ({ lid }) =>
    node('blocklist', { action: 'modify', dhash: HASH }, [node('item', { action: 'block', jid: lid })]),
  ),
  'notification account_sync disappearing_mode': notification('account_sync', ofOwn, ({ t }) =>
    node('disappearing_mode', { action: 'modify', duration: '86400', t }),
  ),
  'notification account_sync notice': notification('account_sync', ofOwn, ({ t }) =>
    node('notice', { id: '20230901', stage: '5', version: '1', type: '1', t }),
  ),
  'notification account_sync picture': notification('account_sync', ofOwn, () => node('picture', { action: 'modify' })),
  'notification account_sync privacy': notification('account_sync', ofOwn, () =>
    node('privacy', { action: 'modify' }, [node('category', { name: 'last', value: 'contacts' })]),
  ),
  'notification account_sync status': notification('account_sync', ofOwn, () => node('status', { action: 'modify' })),
  'notification account_sync text_status': notification('account_sync', ofOwn, ({ t }) =>
    node('text_status', { action: 'modify', text: 'busy', last_update_time: t }),
  ),
  'notification account_sync username': notification('account_sync', ofOwn, () =>
    node('username', { action: 'modify', username: 'postern' }),
  ),
  'notification business profile': notification('business', ofContact, () => node('profile', { hash: HASH })),
  'notification business remove': notification('business', ofContact, ({ jid }) => node('remove', { hash: HASH, jid })),
  'notification business verified_name': notification('business', ofContact, ({ jid }) =>
    node('verified_name', { hash: HASH, jid, verified_level: 'low' }),
  ),
  'notification contacts add': notification('contacts', ofContact, () => node('add')),
  'notification contacts modify': notification('contacts', ofContact, ({ jid, lid, newJid }) =>
    node('modify', { old: jid, new: newJid, old_lid: lid, new_lid: lid }),
  ),
  'notification contacts remove': notification('contacts', ofContact, ({ jid }) => node('remove', { jid })),
  'notification contacts sync': notification('contacts', ofServer, ({ t }) => node('sync', { after: t })),
  'notification contacts update': notification('contacts', ofContact, ({ jid }) => node('update', { jid })),
  'notification devices remove': notification('devices', ofContact, ({ jid }) =>
    node('remove', { device_hash: HASH }, [node('device', { jid: jid.replace('@', ':77@'), 'key-index': '77' })]),
  ),
  'notification devices update': notification('devices', ofContact, () => node('update', { hash: 'abcd' })),
  'notification disappearing_mode disappearing_mode': notification('disappearing_mode', ofContact, ({ t }) =>
    node('disappearing_mode', { duration: '86400', t }),
  ),
  'notification encrypt digest': notification('encrypt', ofServer, () => node('digest')),
  'notification encrypt pq_count': notification('encrypt', ofServer, () => node('pq_count', { value: '3' })),
  'notification picture delete': notification('picture', ofContact, ({ jid }) =>
    node('delete', { id: '1', hash: HASH, jid }),
  ),
  'notification picture set': notification('picture', ofContact, ({ jid }) =>
    node('set', { id: '1', hash: HASH, jid, author: jid }),
  ),
  'notification picture set_avatar': notification('picture', ofContact, ({ jid }) =>
    node('set_avatar', { id: '1', hash: HASH, jid }),
  ),
  'notification server abprops': notification('server', ofServer, () => node('abprops', { protocol: '1' })),
  'notification server log': notification('server', ofServer, () => node('log', { bug_id: '1' })),
  'notification server_sync collection': notification('server_sync', ofServer, () =>
    node('collection', { name: 'regular', version: '2' }),
  ),
  'notification status set': notification('status', ofContact, () => node('set', { hash: HASH })),
  'notification w:gp2 groups_dirty': notification(
    'w:gp2',
    () => '@g.us',
    ({ group }) => node('groups_dirty', {}, [node('group', { jid: group })]),
  ),
  'notification w:gp2 member_add_mode': notification('w:gp2', ofGroup, () =>
    node('member_add_mode', {}, Buffer.from('admin_add')),
  ),
  'receipt peer_msg': receipt('peer_msg', ofOwn),
  'receipt played-self': receipt('played-self', ofOwn, ({ lid }) => ({ recipient: lid })),
  'receipt read-self': receipt('read-self', ofOwn, ({ lid }) => ({ recipient: lid })),
  'receipt sender': receipt('sender', ofOwn, ({ lid }) => ({ recipient: lid })),
  'receipt server-error': receipt('server-error', ({ lid }) => lid),
  'receipt view': receipt('view', ({ lid }) => lid),
} satisfies Record<string, (about: About) => BinaryNode>

export type Announcement = keyof typeof ANNOUNCEMENTS

export const ANNOUNCED = Object.keys(ANNOUNCEMENTS) as Announcement[]

/** What an announcement names; everything else is made up. */
export interface Subject {
  readonly contact: User
  readonly newNumber?: string
  readonly group?: string
  readonly message?: string
  readonly call?: string
}

/** Announces something to a device; the device has to confirm it, unless it is a bulletin. Returns the stanza's id. */
export function announceTo(network: Network, device: LinkedDevice, name: Announcement, subject: Subject): string {
  const own = userOf(network, device.digits)
  const id = stanzaId(network)
  const t = nowText(network)
  const stanza = ANNOUNCEMENTS[name]({
    own: numberJid(own.digits),
    jid: numberJid(subject.contact.digits),
    lid: lidJid(subject.contact.lid),
    newJid: numberJid(subject.newNumber ?? subject.contact.digits),
    group: subject.group ?? '120363000000000001@g.us',
    message: subject.message ?? id,
    call: subject.call ?? id,
    t,
  })
  if (stanza.tag === 'ib') transmit(network, device, stanza)
  else push(network, device, { ...stanza, attrs: { id, t, ...stanza.attrs } })
  return stanza.attrs.id ?? id
}
