import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import type { proto } from 'baileys'
import { unixSeconds } from '../clock.ts'
import type { MediaStore } from '../media/media-store.ts'
import { Refused } from '../refused.ts'
import { MAC_LENGTH, mediaKeys, type MediaPlace } from './media-content.ts'
import { mediaOf } from './media-retry.ts'

const CIPHER = 'aes-256-cbc'

/** Encrypts a document piece by piece into the folder of the network, and describes it in a message. */
export async function uploadLargeDocument(
  network: MediaPlace,
  fileName: string,
  content: AsyncIterable<Uint8Array>,
): Promise<proto.IMessage> {
  const { media } = network
  const large = await media.large?.create()
  if (large === undefined) throw new Refused('the network has no folder for large files')
  const mediaKey = randomBytes(32)
  const { iv, cipherKey, macKey } = mediaKeys(mediaKey, 'document')
  const cipher = createCipheriv(CIPHER, cipherKey, iv)
  const mac = createHmac('sha256', macKey).update(iv)
  const [plainHash, hash] = [createHash('sha256'), createHash('sha256')]
  let fileLength = 0
  const add = async (encrypted: Buffer): Promise<void> => {
    mac.update(encrypted)
    hash.update(encrypted)
    await large.add(encrypted)
  }
  for await (const piece of content) {
    plainHash.update(piece)
    fileLength += piece.length
    await add(cipher.update(piece))
  }
  await add(cipher.final())
  const tag = mac.digest().subarray(0, MAC_LENGTH)
  hash.update(tag)
  await large.add(tag)
  const directPath = media.newPath()
  await large.keep(directPath)
  return {
    documentMessage: {
      directPath,
      url: media.url(directPath),
      mediaKey,
      mediaKeyTimestamp: unixSeconds(network),
      fileLength,
      fileSha256: plainHash.digest(),
      fileEncSha256: hash.digest(),
      mimetype: 'application/octet-stream',
      fileName,
      title: fileName,
    },
  }
}

/** Decrypts the document of a message piece by piece, and checks its MAC at the end. */
export async function* openLargeDocument({ large }: MediaStore, message: proto.IMessage): AsyncGenerator<Buffer> {
  const { directPath, mediaKey } = mediaOf(message) ?? {}
  const bytes = directPath ? large?.bytesOf(directPath) : undefined
  if (large === undefined || bytes === undefined || !directPath || !mediaKey)
    throw new Refused('the message has no large file that can be opened')
  const { iv, cipherKey, macKey } = mediaKeys(mediaKey, 'document')
  const decipher = createDecipheriv(CIPHER, cipherKey, iv)
  const mac = createHmac('sha256', macKey).update(iv)
  for await (const encrypted of large.read(directPath, { end: bytes - MAC_LENGTH - 1 })) {
    mac.update(encrypted as Buffer)
    yield decipher.update(encrypted as Buffer)
  }
  const tag = Buffer.concat(await large.read(directPath, { start: bytes - MAC_LENGTH }).toArray())
  if (!tag.equals(mac.digest().subarray(0, MAC_LENGTH))) throw new Refused('the file is damaged')
  yield decipher.final()
}
