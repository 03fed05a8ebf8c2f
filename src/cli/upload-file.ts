import { createReadStream } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { Readable } from 'node:stream'
import { ConfigError } from '../boot/config-error.ts'
import { getOwn } from '../runtime/get-own.ts'
import { MAX_DOCUMENT_BYTES } from '../domain/media.ts'
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

/** A file of this machine, and the option that names it. */
interface GivenFile {
  option: string
  path: string
}

async function checkFile({ option, path }: GivenFile): Promise<void> {
  const unreadable = (): never => {
    throw new ConfigError(`${option}: ${path} cannot be read.`)
  }
  const found = await stat(path).catch(unreadable)
  if (!found.isFile()) throw new ConfigError(`${option}: ${path} is not a file.`)
  if (found.size > MAX_DOCUMENT_BYTES) throw new ConfigError(`${option}: ${path} is larger than 2 GiB.`)
  await access(path, constants.R_OK).catch(unreadable)
}

/** Uploads a file piece by piece. Returns the fields of a message that refer to it. */
export async function uploadFile(
  client: GatewayClient,
  given: GivenFile,
  mediaType?: string,
): Promise<{ media_id: string; media_type: string }> {
  await checkFile(given)
  const { path } = given
  const [type, sentAs] = getOwn(TYPES, extname(path).toLowerCase()) ?? UNKNOWN
  const content = Readable.toWeb(createReadStream(path))
  const to = `/v1/media?${new URLSearchParams({ filename: basename(path).slice(-255) })}`
  const { id: media_id } = await client.call<{ id: string }>('POST', to, content, { 'content-type': type })
  return { media_id, media_type: mediaType ?? sentAs }
}
