import { Type } from '../type.ts'
import { CHANNEL_ADMIN_ROLES } from '../../domain/channel.ts'
import type { ChannelRequest } from '../../domain/command.ts'
import { messageLimitsOf } from '../../domain/account.ts'
import { messageRefused } from '../../domain/errors.ts'
import { parseContact } from '../../domain/jid.ts'
import type { Deps } from '../deps.ts'
import type { Identity } from '../identity.ts'
import { route } from '../route.ts'
import { isoOrNull, Nullable, OneOf, Strict, Time, upTo } from '../schemas.ts'
import { ByChannel, channelJidOf, ChannelSchema, showChannel } from './newsletters.ts'
import { ask } from './session-actions.ts'
import { freshSession } from './sessions.ts'

/** The owner and the admins among the newest followers, and the people who are invited. */
const MAX_SHOWN_ADMINS = 200

const ByAdmin = Strict({ ...ByChannel.properties, jid: Type.String({ description: 'The JID or the phone number.' }) })

export const listNewsletterAdmins = route({
  method: 'GET',
  path: '/v1/sessions/:id/newsletters/:nl/admins',
  tag: 'Channels',
  summary: 'List the owner, the admins and the invited admins of a channel',
  description: 'Only its owner and admins may see them. WhatsApp gives at most 100 of each and no further pages.',
  scope: 'read',
  params: ByChannel,
  status: 200,
  work: 'waiting',
  response: Strict({
    data: upTo(
      MAX_SHOWN_ADMINS,
      Strict({
        jid: Type.String(),
        phone: Nullable(Type.String({ description: 'The JID with the phone number, if the gateway knows it.' })),
        name: Nullable(Type.String()),
        role: OneOf(CHANNEL_ADMIN_ROLES, { description: '`invited`: the person has not accepted yet.' }),
      }),
    ),
  }),
  errors: [404, 409, 502],
  async handler(incoming, deps) {
    const channelJid = channelJidOf(incoming.params.nl)
    return { data: (await ask(deps, incoming, { kind: 'channel_admins', channelJid }, 'channel_admins')).admins }
  },
})

export const inviteNewsletterAdmin = route({
  method: 'PUT',
  path: '/v1/sessions/:id/newsletters/:nl/admins/:jid',
  tag: 'Channels',
  summary: 'Invite a person to manage a channel',
  description:
    'Only its owner may do this. The person gets a message with the invitation, and is an admin once they accept it. If you repeat the request, the person gets another message. Each counts toward the limits of messages, and 429 answers while WhatsApp does not let the number write to new contacts.',
  scope: 'send',
  params: ByAdmin,
  body: Strict({
    caption: Type.Optional(
      Type.String({ maxLength: 1_024, description: 'Words for the person, in the same message.' }),
    ),
  }),
  status: 200,
  response: Strict({ jid: Type.String(), invited: Type.Boolean(), expires_at: Nullable(Time) }),
  errors: [404, 409, 502],
  example: { body: { caption: 'Please help me with the channel' } },
  async handler({ body, ...incoming }, deps) {
    const channelJid = channelJidOf(incoming.params.nl)
    const person = parseContact('jid', incoming.params.jid)
    const request: ChannelRequest = { kind: 'channel_invite', channelJid, person, caption: body.caption ?? '' }
    const charged = async () => {
      await chargeInvite(deps, incoming.identity, incoming.params.id)
      return request
    }
    const { expiresAtMs } = await ask(deps, incoming, charged, 'channel_invited')
    return { jid: person, invited: true, expires_at: isoOrNull(expiresAtMs) }
  },
})

/** The invitation is a message to a person, but it does not wait in the queue: 429 if a message would have to wait. */
async function chargeInvite(deps: Deps, identity: Identity, id: string): Promise<void> {
  const { restrictedUntil } = await freshSession(deps, identity, id)
  const restrictedMs = (restrictedUntil ?? 0) - deps.clock.now().getTime()
  const limits = messageLimitsOf(identity.account)
  if (restrictedMs > 0) throw messageRefused({ retryAfterMs: restrictedMs, quota: false, full: false }, limits)
  const rejection = await deps.store.messages.chargeMessage({ accountId: identity.account.id, limits })
  if (rejection !== undefined) throw messageRefused(rejection, limits)
}

export const revokeNewsletterInvite = route({
  method: 'DELETE',
  path: '/v1/sessions/:id/newsletters/:nl/admins/:jid/invite',
  tag: 'Channels',
  summary: 'Revoke the invitation of a person to manage a channel',
  description: 'Only its owner may do this. 404 if the person has no open invitation.',
  scope: 'send',
  params: ByAdmin,
  status: 200,
  response: Strict({ jid: Type.String(), invited: Type.Boolean() }),
  errors: [404, 409, 502],
  async handler(incoming, deps) {
    const channelJid = channelJidOf(incoming.params.nl)
    const person = parseContact('jid', incoming.params.jid)
    await ask(deps, incoming, { kind: 'channel_uninvite', channelJid, person }, 'done')
    return { jid: person, invited: false }
  },
})

export const acceptNewsletterInvite = route({
  method: 'POST',
  path: '/v1/sessions/:id/newsletters/:nl/accept',
  tag: 'Channels',
  summary: 'Accept the invitation to manage a channel',
  description:
    'The number got the invitation as a message, with `channel_invite` at endpoints that include context. 400 if it has none, or it is too old.',
  scope: 'send',
  params: ByChannel,
  status: 200,
  response: ChannelSchema,
  errors: [404, 409, 502],
  async handler(incoming, deps) {
    const channelJid = channelJidOf(incoming.params.nl)
    return showChannel((await ask(deps, incoming, { kind: 'channel_accept', channelJid }, 'channel')).channel)
  },
})

export const demoteNewsletterAdmin = route({
  method: 'DELETE',
  path: '/v1/sessions/:id/newsletters/:nl/admins/:jid',
  tag: 'Channels',
  summary: 'Make an admin of a channel a follower again',
  description: 'Only its owner may do this.',
  scope: 'send',
  params: ByAdmin,
  status: 200,
  response: Strict({ jid: Type.String(), admin: Type.Boolean() }),
  errors: [404, 409, 502],
  async handler(incoming, deps) {
    const channelJid = channelJidOf(incoming.params.nl)
    const person = parseContact('jid', incoming.params.jid)
    await ask(deps, incoming, { kind: 'channel_demote', channelJid, person }, 'done')
    return { jid: person, admin: false }
  },
})
