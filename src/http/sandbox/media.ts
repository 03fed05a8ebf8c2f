import type { IncomingMessage } from 'node:http'
import { Type } from '../type.ts'
import { emptyFile, storeUpload } from '../../actions/store-upload.ts'
import { GatewayError, notFound } from '../../domain/errors.ts'
import { MAX_SENT_MEDIA_BYTES } from '../../domain/message.ts'
import { fileTypeOf, isForm, UPLOAD_PART_BYTES, uploadUrl } from '../../domain/upload.ts'
import { tooLarge } from '../connection/read-body.ts'
import { readFile } from '../connection/read-file.ts'
import { route } from '../route.ts'
import { iso, Strict, Time } from '../schemas.ts'
import { inTurn } from '../limits/fair-scheduler.ts'

const SIZES = { limit: MAX_SENT_MEDIA_BYTES, partBytes: UPLOAD_PART_BYTES }

export const uploadMedia = route({
  method: 'POST',
  path: '/sandbox/media',
  tag: 'Sandbox',
  summary: 'Upload a file for sandbox numbers to send',
  description:
    'The body is the file, and `Content-Type` is its type. Use the `media_url` of the response in ' +
    '`POST /v1/messages` with any sandbox number of the account, as often as you like. The gateway keeps the file for ' +
    'an accepted message until an hour after its send time.',
  scope: 'send',
  file: typeOf,
  body: Type.Unsafe<IncomingMessage>({ type: 'string', format: 'binary' }),
  bodyLimit: MAX_SENT_MEDIA_BYTES,
  status: 201,
  response: Strict({
    media_url: Type.String({
      description: 'Refers to the file. Only the sandbox numbers of the account can use it.',
      examples: ['sandbox-upload:kJ3vUq8ZrT0wYx5LhB2nEc7d'],
    }),
    expires_at: Time,
    size: Type.Integer({ description: 'The size in bytes.', examples: [48_213] }),
    mime_type: Type.String({ examples: ['image/jpeg'] }),
  }),
  errors: [404],
  async handler({ identity, body, headers }, deps) {
    if (!deps.config.sandbox) throw notFound('path')
    if ((body as IncomingMessage | undefined) === undefined) throw emptyFile()
    const mimeType = typeOf(headers['content-type'])
    const declared = headers['content-length']
    const maxBytes = declared === undefined ? MAX_SENT_MEDIA_BYTES : Number(declared)
    if (maxBytes > MAX_SENT_MEDIA_BYTES) throw tooLarge(MAX_SENT_MEDIA_BYTES)
    const accountId = identity.account.id
    const file = {
      accountId,
      mimeType,
      maxBytes,
      parts: inTurn(deps.scheduler.store, accountId, readFile(body, SIZES)),
    }
    const { id, bytes, expiresAt } = await storeUpload(deps, file)
    return { media_url: uploadUrl(id), expires_at: iso(expiresAt), size: bytes, mime_type: mimeType }
  },
})

function typeOf(contentType = ''): string {
  rejectForms(contentType)
  const type = fileTypeOf(contentType)
  if (type === undefined)
    throw new GatewayError('unsupported_media_type', 'Content-Type must say what the file is, such as image/jpeg', {
      param: 'Content-Type',
    })
  return type
}

export function rejectForms(contentType: string): void {
  if (isForm(contentType))
    throw new GatewayError(
      'unsupported_media_type',
      'Content-Type must be that of the file, such as image/jpeg: the body is the file itself, not a form',
      { param: 'Content-Type' },
    )
}
