import { createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Readable } from 'node:stream'
import { getMediaKeys } from 'baileys'
import { request } from 'undici'
import type { MediaRoute } from '../engine/socket-config.ts'
import { claimedLength, type Fetched, type IncomingMedia } from './media-part.ts'

// Specification, Limits: inline media size in a webhook payload.
const MAX_INLINE_BYTES = 4 * 1024 * 1024
// Encryption adds a block of padding and a tag.
const MAX_ENCRYPTED_BYTES = MAX_INLINE_BYTES + 16 + 10
export const TAG_BYTES = 10
const IDLE_TIMEOUT_MS = 15_000

/** `gone`: the server no longer has the file, or has another; the number's phone may upload it again. */
export type Missing = { status: 'gone' } | { status: 'unreachable' }
export type Outcome = Fetched | Missing

/** Statuses of a server that does not have the file: for old files it may be forbidden or not found. */
const GONE = new Set([403, 404, 410])

/**
 * Downloads, checks and decrypts one file. It does not trust the sender's claims: it counts bytes and checks hashes.
 */
export async function downloadMedia(
  media: IncomingMedia,
  route: MediaRoute,
  host: string,
  signal: AbortSignal,
): Promise<Outcome> {
  if (claimedLength(media) > MAX_INLINE_BYTES) return { status: 'too_large' }
  const address = addressOf(media, route, host)
  const { mediaKey } = media.part
  if (!address || !mediaKey?.length) return { status: 'error' }
  const received = await receive(address, route, signal)
  if (!Buffer.isBuffer(received)) return received
  const bytes = await decrypt(received, mediaKey, media)
  if (!bytes) return { status: 'gone' }
  return bytes.length > MAX_INLINE_BYTES ? { status: 'too_large' } : { status: 'downloaded', bytes }
}

/** The sender names the address: only its path is used, and only the platform's media hosts. */
export function addressOf({ part }: IncomingMedia, route: MediaRoute, host: string): URL | undefined {
  if (part.directPath?.startsWith('/')) return new URL(`https://${host}${part.directPath}`)
  const named = part.url && URL.canParse(part.url) ? new URL(part.url) : undefined
  return named?.origin === `https://${route.host}`
    ? new URL(`https://${host}${named.pathname}${named.search}`)
    : undefined
}

/** Begins the download of an encrypted file. */
export async function openFile(
  url: URL,
  route: MediaRoute,
  signal: AbortSignal,
): Promise<{ body: Readable } | Missing | { status: 'error' }> {
  try {
    const { statusCode, body } = await request(url, {
      signal,
      headers: { origin: 'https://web.whatsapp.com' },
      headersTimeout: IDLE_TIMEOUT_MS,
      bodyTimeout: IDLE_TIMEOUT_MS,
      ...(route.download && { dispatcher: route.download }),
    })
    // A truncated body emits an error even after it is no longer read.
    body.on('error', () => {})
    if (statusCode === 200) return { body }
    body.destroy()
    return { status: GONE.has(statusCode) ? 'gone' : statusCode >= 500 ? 'unreachable' : 'error' }
  } catch {
    return { status: 'unreachable' }
  }
}

async function receive(url: URL, route: MediaRoute, signal: AbortSignal): Promise<Buffer | Outcome> {
  const opened = await openFile(url, route, signal)
  if ('status' in opened) return opened
  const chunks: Buffer[] = []
  let received = 0
  try {
    for await (const chunk of opened.body) {
      received += (chunk as Buffer).length
      if (received > MAX_ENCRYPTED_BYTES) {
        opened.body.destroy()
        return { status: 'too_large' }
      }
      chunks.push(chunk as Buffer)
    }
  } catch {
    return { status: 'unreachable' }
  }
  return Buffer.concat(chunks)
}

async function decrypt(file: Buffer, mediaKey: Uint8Array, media: IncomingMedia): Promise<Buffer | undefined> {
  const { iv, cipherKey, macKey } = await getMediaKeys(mediaKey, media.type)
  if (!macKey || file.length <= TAG_BYTES) return undefined
  const ciphertext = file.subarray(0, -TAG_BYTES)
  const tag = createHmac('sha256', macKey).update(iv).update(ciphertext).digest().subarray(0, TAG_BYTES)
  if (!timingSafeEqual(tag, file.subarray(-TAG_BYTES))) return undefined
  try {
    const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv)
    const bytes = Buffer.concat([decipher.update(ciphertext), decipher.final()])
    return isExpected(bytes, media.part.fileSha256) ? bytes : undefined
  } catch {
    return undefined
  }
}

function isExpected(bytes: Buffer, expected: Uint8Array | null | undefined): boolean {
  if (!expected?.length) return true
  return createHash('sha256').update(bytes).digest().equals(expected)
}
