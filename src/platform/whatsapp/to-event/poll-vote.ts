import { decryptPollVote, type proto } from 'baileys'
import type { Interpretation, SeenMessage } from '../../platform.ts'
import type { StoredMessage } from '../received/inbox-item.ts'
import type { SessionContext } from '../session-context.ts'
import { unixSeconds } from '../wire/numbers.ts'
import { namesOf, ownNames, seenIn } from './names.ts'
import type { People } from './people.ts'

/** A vote is encrypted under the poll's secret and the names of its creator and the voter. */
export async function interpretVote(
  context: SessionContext,
  stored: StoredMessage,
  update: proto.Message.IPollUpdateMessage,
  people: People,
): Promise<Interpretation> {
  const pollId = update.pollCreationMessageKey?.id ?? ''
  const poll = await seenIn(context, people.chatJid, pollId)
  if (!poll?.secret) return { kind: 'none', reason: 'vote_on_unknown_poll' }
  const selected = await decryptVote(context, stored, update.vote ?? {}, poll)
  if (!selected) return { kind: 'none', reason: 'vote_undecryptable' }
  const votedAt = Math.floor(Number(update.senderTimestampMs ?? 0) / 1000)
  return {
    kind: 'events',
    events: [
      {
        kind: 'poll_vote',
        session_id: context.sessionId,
        voter_jid: people.senderJid,
        chat_jid: people.chatJid,
        poll_message_id: pollId,
        selected_hashes: selected.map(hash => Buffer.from(hash).toString('hex')),
        timestamp_unix: unixSeconds(votedAt) ?? stored.timestamp,
      },
    ],
  }
}

/** It is unknown which of a person's two names is part of the key, so all are tried. */
async function decryptVote(
  context: SessionContext,
  { key }: StoredMessage,
  vote: proto.Message.IPollEncValue,
  poll: SeenMessage,
): Promise<Uint8Array[] | undefined> {
  const creators = await namesOf(context, poll.fromMe ? ownNames(context) : [poll.senderJid])
  const voters = await namesOf(context, [key.participant || key.remoteJid, key.participantAlt ?? key.remoteJidAlt])
  for (const pollCreatorJid of creators) {
    for (const voterJid of voters) {
      try {
        const names = { pollCreatorJid, voterJid, pollMsgId: poll.messageId, pollEncKey: poll.secret! }
        return decryptPollVote(vote, names).selectedOptions ?? []
      } catch {
        // Not under these names.
      }
    }
  }
  return undefined
}
