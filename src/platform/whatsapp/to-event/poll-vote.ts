import { decryptPollVote, type proto } from 'baileys'
import type { Interpretation } from '../../platform.ts'
import type { StoredMessage } from '../received/inbox-item.ts'
import type { SessionContext } from '../session-context.ts'
import type { SecretKey } from '../wire/message-secret.ts'
import { unixSeconds } from '../wire/numbers.ts'
import { keysAbout } from './open-sealed.ts'
import type { People } from './people.ts'

/** A vote is encrypted under the poll's secret and the names of its creator and the voter. */
export async function interpretVote(
  context: SessionContext,
  stored: StoredMessage,
  update: proto.Message.IPollUpdateMessage,
  people: People,
): Promise<Interpretation> {
  const pollId = update.pollCreationMessageKey?.id ?? ''
  const keys = await keysAbout(context, stored, people, pollId)
  if (!keys) return { kind: 'none', reason: 'vote_on_unknown_poll' }
  const selected = decryptVote(update.vote ?? {}, keys)
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

function decryptVote(
  vote: proto.Message.IPollEncValue,
  keys: ReadonlyArray<Omit<SecretKey, 'use'>>,
): Uint8Array[] | undefined {
  for (const { secret, messageId, author, sender } of keys) {
    try {
      const names = { pollCreatorJid: author, voterJid: sender, pollMsgId: messageId, pollEncKey: secret }
      return decryptPollVote(vote, names).selectedOptions ?? []
    } catch {
      // Not under these names.
    }
  }
  return undefined
}
