import { aboutInbox, aboutKey, aboutSeen, aboutSent } from '../../domain/sealed.ts'
import type { KeyChange, SentCopy } from '../../platform/platform.ts'
import type { Seal } from '../../store/seal.ts'
import type { NewInboxItem, SealedCopy, SealedKey } from '../../store/devices/device-state.ts'
import type { PlacedItem } from './inbox-queue.ts'

export const sealKey = (seal: Seal, sessionId: string, { category, id, value }: KeyChange): SealedKey => ({
  category,
  id,
  sealed: value && seal.seal(value, aboutKey(sessionId, category, id)),
})

export const sealItem = (seal: Seal, sessionId: string, item: PlacedItem): NewInboxItem => ({
  key: item.key,
  seq: item.seq,
  kind: item.kind,
  chat: item.chat ?? '',
  receivedAt: item.receivedAtMs,
  sealed: seal.seal(item.body, aboutInbox(sessionId, item.key)),
  ...(item.poison && { poison: true }),
})

export const sealCopy = (seal: Seal, sessionId: string, { platformId, encoded, seen }: SentCopy): SealedCopy => ({
  platformId,
  sealed: seal.seal(encoded, aboutSent(sessionId, platformId)),
  poll:
    seen.secret === undefined
      ? null
      : {
          chatJid: seen.chatJid,
          senderJid: seen.senderJid,
          secret: seal.seal(seen.secret, aboutSeen(sessionId, seen.chatJid, platformId)),
        },
})
