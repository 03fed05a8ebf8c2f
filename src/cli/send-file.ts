import { readFile, stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { ConfigError } from '../boot/config-error.ts'
import { getOwn } from '../runtime/get-own.ts'
import { MAX_SENT_MEDIA_BYTES } from '../domain/message.ts'
import { SANDBOX_PREFIX } from '../domain/session.ts'
import type { GatewayClient } from './gateway-client.ts'

/** The content type and the media type by file extension; every other file is a document. */
const TYPES: Record<string, [type: string, sentAs: string]> = {
  '.jpg': ['image/jpeg', 'image'],
  '.jpeg': ['image/jpeg', 'image'],
  '.png': ['image/png', 'image'],
  '.gif': ['image/gif', 'image'],
  '.webp': ['image/webp', 'image'],
  '.heic': ['image/heic', 'image'],
  '.mp4': ['video/mp4', 'video'],
  '.mov': ['video/quicktime', 'video'],
  '.3gp': ['video/3gpp', 'video'],
  '.webm': ['video/webm', 'video'],
  '.mp3': ['audio/mpeg', 'audio'],
  '.m4a': ['audio/mp4', 'audio'],
  '.aac': ['audio/aac', 'audio'],
  '.wav': ['audio/wav', 'audio'],
  '.amr': ['audio/amr', 'audio'],
  '.ogg': ['audio/ogg', 'voice'],
  '.opus': ['audio/ogg', 'voice'],
  '.pdf': ['application/pdf', 'document'],
  '.txt': ['text/plain', 'document'],
  '.csv': ['text/csv', 'document'],
}
const UNKNOWN = ['application/octet-stream', 'document'] as const

async function readSmall(path: string): Promise<Buffer> {
  const unreadable = (): never => {
    throw new ConfigError(`--file: ${path} cannot be read.`)
  }
  const found = await stat(path).catch(unreadable)
  if (!found.isFile()) throw new ConfigError(`--file: ${path} is not a file.`)
  if (found.size > MAX_SENT_MEDIA_BYTES) throw new ConfigError(`--file: ${path} is larger than 64 MiB.`)
  return await readFile(path).catch(unreadable)
}

/** Uploads a file for a sandbox number. Returns the fields of the message that refer to it. */
export async function uploadFile(
  client: GatewayClient,
  session: string,
  path: string,
  mediaType?: string,
): Promise<object> {
  if (!session.startsWith(SANDBOX_PREFIX))
    throw new ConfigError('--file is for sandbox numbers. For a real number give --media-url.')
  const content = await readSmall(path)
  const [type, sentAs] = getOwn(TYPES, extname(path).toLowerCase()) ?? UNKNOWN
  const headers = { 'content-type': type }
  const { media_url } = await client.call<{ media_url: string }>('POST', '/sandbox/media', content, headers)
  const media_type = mediaType ?? sentAs
  return { media_url, media_type, ...(media_type === 'document' ? { filename: basename(path) } : {}) }
}
