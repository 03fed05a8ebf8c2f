import { createCipheriv, randomBytes } from 'node:crypto'
import { normalizeMessageContent, proto } from 'baileys'
import { nowText } from '../clock.ts'
import { userByJid } from '../people.ts'
import { mediaRetry } from '../server/message-stanzas.ts'
import { push } from '../server/outbox.ts'
import { derive } from '../signal/derive.ts'
import { type BinaryNode, child } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'

interface StoredMedia {
  readonly mediaKey?: Uint8Array | null
  readonly directPath?: string | null
}

/** The media part of a message, whatever kind it is. */
export function mediaOf(message: proto.IMessage): StoredMedia | undefined {
  const content = normalizeMessageContent(message)
  const media =
    content?.imageMessage ??
    content?.videoMessage ??
    content?.ptvMessage ??
    content?.audioMessage ??
    content?.documentMessage ??
    content?.stickerMessage
  return media ?? undefined
}

function sealRetry(id: string, mediaKey: Uint8Array, directPath: string) {
  const { ResultType } = proto.MediaRetryNotification
  const result = { stanzaId: id, directPath, result: ResultType.SUCCESS }
  const iv = randomBytes(12)
  const key = derive(mediaKey, Buffer.alloc(0), 'WhatsApp Media Retry Notification', 32)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  cipher.setAAD(Buffer.from(id))
  const sealed = cipher.update(proto.MediaRetryNotification.encode(result).finish())
  return { body: Buffer.concat([sealed, cipher.final(), cipher.getAuthTag()]), iv }
}

/** A device could not download: the sender's phone puts the file up again, if it still has it. */
export function answerMediaRetry(network: Network, device: LinkedDevice, stanza: BinaryNode): void {
  const id = stanza.attrs.id ?? ''
  const asked = child(stanza, 'rmr')?.attrs ?? {}
  const sender = userByJid(network, asked.participant ?? asked.jid)
  const sent = sender?.sent.get(id)
  const media = sent && mediaOf(proto.Message.decode(sent.content))
  const path = media?.directPath ? network.media.renew(media.directPath) : undefined
  const encrypted = path && media?.mediaKey ? sealRetry(id, media.mediaKey, path) : undefined
  const head = {
    id,
    t: nowText(network),
    from: stanza.attrs.to ?? '',
    chat: asked.jid ?? '',
    participant: asked.participant,
  }
  push(network, device, mediaRetry({ ...head, encrypted }))
}
