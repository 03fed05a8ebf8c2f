import { proto } from 'baileys'
import { nowMs } from '../clock.ts'
import type { Addressing } from '../jid.ts'
import { nameOf, userOf } from '../people.ts'
import { Refused } from '../refused.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import type { Chat } from './destination.ts'
import { secretOf } from './message-secret.ts'
import { sealVote } from './poll-vote.ts'

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
