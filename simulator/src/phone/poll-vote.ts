import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { proto } from 'baileys'

/** The inputs of a vote's key. JIDs are in the form that the voter's phone uses, without device. */
export interface VoteContext {
  readonly pollId: string
  readonly pollSecret: Uint8Array
  readonly creator: string
  readonly voter: string
}

/** Encrypts a vote; only recipients of the poll can read it. An empty choice withdraws the vote. */
export function sealVote(context: VoteContext, options: readonly string[]): proto.Message.IPollEncValue {
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
