import { createHash } from 'node:crypto'
import { type Agent, request } from 'node:https'
import { pipeline, type Readable } from 'node:stream'
import { proto, type WASocket } from 'baileys'

const PATHS = { image: 'image', video: 'video', document: 'document', audio: 'audio', sticker: 'image' } as const
export type Uploadable = keyof typeof PATHS
const MAX_ANSWER_BYTES = 65_536

interface Upload {
  read(): Readable
  bytes: number
  agent: Agent | undefined
  timeoutMs: number
  nowMs: number
}

export interface UploadedMedia {
  message: proto.IMessage
  /** The platform's handle of a file for a channel: the post has to name it. */
  mediaId?: string
}

interface UploadAnswer {
  direct_path?: string
  handle?: string
}

/**
 * The platform stores channel media unencrypted, in places of their own, and refuses posts with files from elsewhere or
 * with a `url`. The library would first write a plain copy to the temporary folder; here the upload reads the sealed
 * file directly.
 */
export async function uploadUnencrypted(
  sock: Pick<WASocket, 'refreshMediaConn'>,
  type: Uploadable,
  fields: object,
  upload: Upload,
): Promise<UploadedMedia> {
  const hash = createHash('sha256')
  for await (const chunk of upload.read()) hash.update(chunk as Buffer)
  const fileSha256 = hash.digest()
  const { auth, hosts } = await sock.refreshMediaConn(false)
  const token = fileSha256.toString('base64url')
  const query = `auth=${encodeURIComponent(auth)}&token=${token}&server_thumb_gen=1`
  const path = `/newsletter/newsletter-${PATHS[type]}/${token}?${query}`
  for (const { hostname } of hosts) {
    const answer = await post(`https://${hostname}${path}`, upload).catch(() => undefined)
    if (answer?.direct_path === undefined) continue
    const where = { directPath: answer.direct_path, fileSha256, fileLength: upload.bytes }
    const sticker = type === 'sticker' ? { stickerSentTs: upload.nowMs } : {}
    const message = proto.Message.fromObject({ [`${type}Message`]: { ...where, ...fields, ...sticker } })
    return { message, ...(answer.handle !== undefined && { mediaId: answer.handle }) }
  }
  throw new Error('no media server took the file')
}

function post(url: string, upload: Upload): Promise<UploadAnswer> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/octet-stream',
      'content-length': upload.bytes,
      origin: 'https://web.whatsapp.com',
    }
    const signal = AbortSignal.timeout(upload.timeoutMs)
    const client = request(url, { method: 'POST', headers, signal, ...(upload.agent && { agent: upload.agent }) })
    client.on('error', reject)
    client.on('response', answer => {
      let text = ''
      answer.on('data', (chunk: Buffer) => {
        text += chunk.toString()
        if (text.length > MAX_ANSWER_BYTES) answer.destroy(new Error('the answer is too long'))
      })
      answer.on('error', reject)
      answer.on('end', () => {
        try {
          resolve(JSON.parse(text) as UploadAnswer)
        } catch (error) {
          reject(error as Error)
        }
      })
    })
    pipeline(upload.read(), client, error => error && reject(error))
  })
}
