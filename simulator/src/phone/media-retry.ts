import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { normalizeMessageContent, proto } from 'baileys'
import { nowText } from '../clock.ts'
import { isBroadcastJid, isGroupJid, numberJid } from '../jid.ts'
import { userByJid } from '../people.ts'
import { mediaRetry } from '../server/message-stanzas.ts'
import { push } from '../server/outbox.ts'
import { derive } from '../signal/derive.ts'
import { type BinaryNode, bytesOf, child } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'

interface StoredMedia {
  readonly mediaKey?: Uint8Array | null
  readonly directPath?: string | null
}

/** The media part of a message of any kind. */
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

const retryKey = (mediaKey: Uint8Array): Buffer =>
  derive(mediaKey, Buffer.alloc(0), 'WhatsApp Media Retry Notification', 32)

function sealRetry(id: string, mediaKey: Uint8Array, directPath: string) {
  const { ResultType } = proto.MediaRetryNotification
  const result = { stanzaId: id, directPath, result: ResultType.SUCCESS }
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', retryKey(mediaKey), iv)
  cipher.setAAD(Buffer.from(id))
  const sealed = cipher.update(proto.MediaRetryNotification.encode(result).finish())
  return { body: Buffer.concat([sealed, cipher.final(), cipher.getAuthTag()]), iv }
}

/** Addressed to the number's own phone and, in groups, naming the author of the message. */
function isWellFormed({ digits }: LinkedDevice, stanza: BinaryNode): boolean {
  const asked = child(stanza, 'rmr')?.attrs
  const isOfMany = isGroupJid(asked?.jid) || isBroadcastJid(asked?.jid)
  return (
    stanza.attrs.to === numberJid(digits) &&
    asked !== undefined &&
    /^(true|false)$/.test(asked.from_me ?? '') &&
    (asked.participant !== undefined) === isOfMany
  )
}

function isSealedFor(id: string, mediaKey: Uint8Array, stanza: BinaryNode): boolean {
  const sealed = child(stanza, 'encrypt')
  const body = bytesOf(child(sealed, 'enc_p'))
  try {
    const decipher = createDecipheriv('aes-256-gcm', retryKey(mediaKey), bytesOf(child(sealed, 'enc_iv')))
    decipher.setAAD(Buffer.from(id))
    decipher.setAuthTag(body.subarray(-16))
    const plain = Buffer.concat([decipher.update(body.subarray(0, -16)), decipher.final()])
    return proto.ServerErrorReceipt.decode(plain).stanzaId === id
  } catch {
    return false
  }
}

/** A device could not download a file: the sender's phone uploads it again if it still has it. */
export function answerMediaRetry(network: Network, device: LinkedDevice, stanza: BinaryNode): void {
  const { fileRequests, phonesOff } = network.faults
  fileRequests.set(device.digits, (fileRequests.get(device.digits) ?? 0) + 1)
  if (phonesOff.has(device.digits)) return
  const id = stanza.attrs.id ?? ''
  const asked = child(stanza, 'rmr')?.attrs ?? {}
  const sender = userByJid(network, asked.participant ?? asked.jid)
  const sent = sender?.sent.get(id)
  const media = sent && mediaOf(proto.Message.decode(sent.content))
  if (!isWellFormed(device, stanza) || (media?.mediaKey && !isSealedFor(id, media.mediaKey, stanza))) return
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
