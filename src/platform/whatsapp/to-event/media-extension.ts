import { getOwn } from '../../../runtime/get-own.ts'

const BY_MIMETYPE: Record<string, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/heic': 'heic',
  'video/mp4': 'mp4',
  'video/3gpp': '3gp',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
  'audio/ogg': 'ogg',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/aac': 'aac',
  'audio/amr': 'amr',
  'audio/wav': 'wav',
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'application/json': 'json',
  'application/msword': 'doc',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.ms-powerpoint': 'ppt',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'text/plain': 'txt',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/vcard': 'vcf',
}

/** Without dot; from the file's name, else from its type; `bin` where neither tells. */
export function extensionOf(mimetype: string, filename: string): string {
  const named = /\.([A-Za-z0-9]{1,10})$/.exec(filename)?.[1]
  if (named !== undefined) return named.toLowerCase()
  const type = mimetype.split(';')[0]?.trim().toLowerCase() ?? ''
  const subtype = /^[\w.+-]+\/(?:x-)?([a-z0-9]{1,10})$/.exec(type)?.[1]
  return getOwn(BY_MIMETYPE, type) ?? subtype ?? 'bin'
}
