import { createHash, randomBytes } from 'node:crypto'
import { MEDIA_HKDF_KEY_MAPPING, normalizeMessageContent, type proto } from 'baileys'
import { unixSeconds } from '../clock.ts'
import type { MediaStore } from '../media/media-store.ts'
import { Refused } from '../refused.ts'
import { decryptCbc, derive, encryptCbc, hmac } from '../signal/derive.ts'
import type { Network } from '../world/network.ts'

export interface MediaContent {
  readonly type: 'image' | 'video' | 'audio' | 'voice' | 'document' | 'sticker'
  /** The file; without it the phone sends `size` filler bytes. */
  readonly data?: Uint8Array
  readonly size?: number
  /** A wrong size for the message to claim. */
  readonly claimedSize?: number
  readonly mimetype?: string
  readonly filename?: string
  readonly caption?: string
  readonly seconds?: number
}

const DEFAULT_TYPES: Readonly<Record<MediaContent['type'], string>> = {
  image: 'image/jpeg',
  video: 'video/mp4',
  audio: 'audio/mpeg',
  voice: 'audio/ogg; codecs=opus',
  document: 'application/pdf',
  sticker: 'image/webp',
}

export type MediaKeyKind = keyof typeof MEDIA_HKDF_KEY_MAPPING

const KEY_KINDS: Readonly<Record<MediaContent['type'], MediaKeyKind>> = {
  image: 'image',
  video: 'video',
  audio: 'audio',
  voice: 'audio',
  document: 'document',
  sticker: 'sticker',
}

export function mediaKeys(mediaKey: Uint8Array, kind: MediaKeyKind) {
  const info = `WhatsApp ${MEDIA_HKDF_KEY_MAPPING[kind]} Keys`
  const derived = derive(mediaKey, Buffer.alloc(0), info, 112)
  return { iv: derived.subarray(0, 16), cipherKey: derived.subarray(16, 48), macKey: derived.subarray(48, 80) }
}

export const MAC_LENGTH = 10

/** Decrypts a file from the media servers and checks its MAC. */
export function openMedia(file: Uint8Array, mediaKey: Uint8Array, kind: MediaKeyKind): Buffer {
  const keys = mediaKeys(mediaKey, kind)
  const body = file.subarray(0, -MAC_LENGTH)
  const mac = hmac(keys.macKey, keys.iv, body).subarray(0, MAC_LENGTH)
  if (!mac.equals(file.subarray(-MAC_LENGTH))) throw new Refused('the file is damaged')
  return decryptCbc(keys.cipherKey, keys.iv, body)
}

/** The large picture of a preview: phones ignore one that is damaged or another one. */
export function openPreview(media: MediaStore, message: proto.IMessage): Buffer {
  const { thumbnailDirectPath, thumbnailSha256, thumbnailEncSha256, mediaKey } =
    normalizeMessageContent(message)?.extendedTextMessage ?? {}
  const file = thumbnailDirectPath ? media.get(thumbnailDirectPath) : undefined
  if (!file || !mediaKey) throw new Refused('the message has no picture of a preview that can be opened')
  const picture = openMedia(file, mediaKey, 'thumbnail-link')
  if (!sha256(file).equals(thumbnailEncSha256 ?? Buffer.alloc(0))) throw new Refused('the picture is another one')
  if (!sha256(picture).equals(thumbnailSha256 ?? Buffer.alloc(0))) throw new Refused('the picture is another one')
  return picture
}

/** What an upload needs of the network. */
export type MediaPlace = Pick<Network, 'media' | 'clock'>

function sha256(data: Uint8Array): Buffer {
  return createHash('sha256').update(data).digest()
}

/** Encrypts and uploads a file. */
export function uploadFile({ media }: MediaPlace, data: Uint8Array, kind: MediaKeyKind) {
  const mediaKey = randomBytes(32)
  const keys = mediaKeys(mediaKey, kind)
  const body = encryptCbc(keys.cipherKey, keys.iv, data)
  const file = Buffer.concat([body, hmac(keys.macKey, keys.iv, body).subarray(0, MAC_LENGTH)])
  const directPath = media.put(file)
  return { directPath, mediaKey, fileLength: data.length, fileSha256: sha256(data), fileEncSha256: sha256(file) }
}

function upload(network: MediaPlace, content: MediaContent) {
  const data = content.data ?? Buffer.alloc(content.size ?? 0, 0x2e)
  const file = uploadFile(network, data, KEY_KINDS[content.type])
  return {
    ...file,
    url: network.media.url(file.directPath),
    mediaKeyTimestamp: unixSeconds(network),
    mimetype: content.mimetype ?? DEFAULT_TYPES[content.type],
    fileLength: content.claimedSize ?? file.fileLength,
  }
}

/** Encrypts and uploads the file, and describes it in a message. */
export function mediaMessage(network: MediaPlace, content: MediaContent): proto.IMessage {
  const file = upload(network, content)
  const { caption, filename, seconds } = content
  const captioned = caption === undefined ? file : { ...file, caption }
  switch (content.type) {
    case 'image':
      return { imageMessage: captioned }
    case 'video':
      return { videoMessage: { ...captioned, seconds: seconds ?? 1 } }
    case 'audio':
    case 'voice':
      return { audioMessage: { ...file, seconds: seconds ?? 1, ptt: content.type === 'voice' } }
    case 'sticker':
      return { stickerMessage: file }
    case 'document': {
      const documentMessage = { ...captioned, fileName: filename ?? 'file', title: filename ?? 'file' }
      return caption === undefined
        ? { documentMessage }
        : { documentWithCaptionMessage: { message: { documentMessage } } }
    }
  }
}
