import { createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'
import { getMediaKeys, type proto } from 'baileys'
import { transient } from '../errors.ts'
import type { SessionContext } from '../session-context.ts'
import { type Missing, openFile, TAG_BYTES } from '../to-event/download.ts'
import { fromAnyHost } from '../to-event/fetch-incoming.ts'

/** A setting has some hundred bytes. */
const MAX_BYTES = 64 * 1024 * 1024

/** Downloads settings that do not fit into a stanza. */
export async function fetchSettings(context: SessionContext, blob: proto.IExternalBlobReference): Promise<Buffer> {
  const signal = AbortSignal.timeout(context.mediaRoute.timeoutMs)
  const outcome = await fromAnyHost<Outcome>(context, host => download(context, blob, host, signal), signal)
  if (outcome.status !== 'read') throw transient('the settings of the phone could not be fetched from the platform')
  return outcome.bytes
}

type Outcome = { status: 'read'; bytes: Buffer } | { status: 'error' }

async function download(
  { mediaRoute }: SessionContext,
  { directPath, mediaKey }: proto.IExternalBlobReference,
  host: string,
  signal: AbortSignal,
): Promise<Outcome | Missing> {
  if (!directPath?.startsWith('/') || !mediaKey?.length) return { status: 'error' }
  const opened = await openFile(new URL(`https://${host}${directPath}`), mediaRoute, signal)
  if ('status' in opened) return opened
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of opened.body) {
      chunks.push(chunk as Buffer)
      length += (chunk as Buffer).length
      if (length > MAX_BYTES) break
    }
  } catch {
    signal.throwIfAborted()
    return { status: 'unreachable' }
  }
  if (length <= MAX_BYTES) return await decrypted(Buffer.concat(chunks), mediaKey)
  opened.body.destroy()
  return { status: 'error' }
}

async function decrypted(file: Buffer, mediaKey: Uint8Array): Promise<Outcome> {
  const { iv, cipherKey, macKey } = await getMediaKeys(mediaKey, 'md-app-state')
  const body = file.subarray(0, -TAG_BYTES)
  const tag = createHmac('sha256', macKey ?? '')
    .update(iv)
    .update(body)
    .digest()
    .subarray(0, TAG_BYTES)
  if (file.length <= TAG_BYTES || !timingSafeEqual(tag, file.subarray(-TAG_BYTES))) return { status: 'error' }
  try {
    const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv)
    return { status: 'read', bytes: Buffer.concat([decipher.update(body), decipher.final()]) }
  } catch {
    return { status: 'error' }
  }
}
