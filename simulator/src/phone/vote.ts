import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { proto } from 'baileys'
import { nowMs } from '../clock.ts'
import type { Addressing } from '../jid.ts'
import { nameOf, userOf } from '../people.ts'
import { Refused } from '../refused.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import type { Chat } from './destination.ts'
import { sealWithSecret, secretOf } from './message-secret.ts'

interface Vote {
  readonly pollId: string
  readonly choices: readonly string[]
  readonly creatorAddressing?: Addressing
  readonly voterAddressing?: Addressing
  readonly timestampMs?: number
}

interface KnownPoll {
  readonly creator: User
  readonly secret: Uint8Array
}

/** A poll that the phone has received, or that any phone has sent. */
function findPoll(network: Network, user: User, pollId: string): KnownPoll {
  const held = [...user.inbox.values()].find(candidate => candidate.id === pollId)
  const heldSecret = secretOf(held?.message)
  if (held && heldSecret) return { creator: userOf(network, held.from), secret: heldSecret }
  for (const creator of network.users.values()) {
    const sent = creator.sent.get(pollId)
    const secret = sent && secretOf(proto.Message.decode(sent.content))
    if (secret) return { creator, secret }
  }
  throw new Refused('the phone does not know this poll')
}

export function voteMessage(network: Network, user: User, chat: Chat, vote: Vote): proto.IMessage {
  const { creator, secret } = findPoll(network, user, vote.pollId)
  const creatorName = nameOf(creator, vote.creatorAddressing ?? chat.addressing)
  const voter = nameOf(user, vote.voterAddressing ?? chat.addressing)
  const context = { pollId: vote.pollId, pollSecret: secret, creator: creatorName, voter }
  const isOwn = creator === user
  const key = {
    id: vote.pollId,
    remoteJid: chat.jid,
    fromMe: isOwn,
    ...(chat.to.kind === 'person' ? {} : { participant: creatorName }),
  }
  return {
    pollUpdateMessage: {
      pollCreationMessageKey: key,
      vote: sealVote(context, vote.choices),
      senderTimestampMs: vote.timestampMs ?? nowMs(network),
    },
  }
}

export type EventAnswer = 'going' | 'not_going' | 'maybe'

/** The answer of a person to an event, which only its recipients can read. */
export function eventAnswerMessage(
  network: Network,
  user: User,
  chat: Chat,
  eventId: string,
  answer: EventAnswer,
): proto.IMessage {
  const { creator, secret } = findPoll(network, user, eventId)
  const [author, modifier] = [nameOf(creator, chat.addressing), nameOf(user, chat.addressing)]
  const { EventResponseMessage } = proto.Message
  const response = { going: 1, not_going: 2, maybe: 3 }[answer]
  const opened = EventResponseMessage.encode({ response, timestampMs: nowMs(network) }).finish()
  const context = { secret, messageId: eventId, author, modifier, use: 'Event Response' } as const
  const eventCreationMessageKey = {
    id: eventId,
    remoteJid: chat.jid,
    fromMe: creator === user,
    ...(chat.to.kind === 'person' ? {} : { participant: author }),
  }
  return { encEventResponseMessage: { eventCreationMessageKey, ...sealWithSecret(context, opened) } }
}

/** The inputs of a vote's key. JIDs are in the form that the voter's phone uses, without device. */
interface VoteContext {
  readonly pollId: string
  readonly pollSecret: Uint8Array
  readonly creator: string
  readonly voter: string
}

/** Encrypts a vote; only recipients of the poll can read it. An empty choice withdraws the vote. */
function sealVote(context: VoteContext, options: readonly string[]): proto.Message.IPollEncValue {
  const { pollId, creator, voter } = context
  const selectedOptions = options.map(option => createHash('sha256').update(option).digest())
  const extracted = createHmac('sha256', Buffer.alloc(32)).update(context.pollSecret).digest()
  const info = Buffer.concat([Buffer.from(pollId + creator + voter + 'Poll Vote'), Buffer.from([1])])
  const key = createHmac('sha256', extracted).update(info).digest()
  const encIv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, encIv)
  cipher.setAAD(Buffer.from(`${pollId}\u0000${voter}`))
  const sealed = cipher.update(proto.Message.PollVoteMessage.encode({ selectedOptions }).finish())
  return { encIv, encPayload: Buffer.concat([sealed, cipher.final(), cipher.getAuthTag()]) }
}
