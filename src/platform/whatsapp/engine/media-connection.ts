import {
  DEFAULT_CONNECTION_CONFIG,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  getWAUploadToServer,
  type MediaConnInfo,
  S_WHATSAPP_NET,
  type UserFacingSocketConfig,
  type WASocket,
} from 'baileys'
import type { Clock } from '../../../runtime/clock.ts'

/**
 * Replaces the library's query for the media servers: if that fails once, every later upload of the connection fails.
 * This one caches only an answer.
 */
export function replaceMediaConnection(
  sock: WASocket,
  config: UserFacingSocketConfig,
  clock: Pick<Clock, 'now'>,
): void {
  let known: MediaConnInfo | undefined
  const isValid = ({ fetchDate, ttl }: MediaConnInfo): boolean =>
    clock.now().getTime() - fetchDate.getTime() <= ttl * 1000
  const refresh = async (isForced = false): Promise<MediaConnInfo> => {
    if (known && !isForced && isValid(known)) return known
    known = await query(sock, clock.now())
    return known
  }
  sock.refreshMediaConn = refresh
  sock.waUploadToServer = getWAUploadToServer({ ...DEFAULT_CONNECTION_CONFIG, ...config }, refresh)
}

async function query(sock: WASocket, fetchDate: Date): Promise<MediaConnInfo> {
  const attrs = { type: 'set', xmlns: 'w:m', to: S_WHATSAPP_NET }
  const answer = await sock.query({ tag: 'iq', attrs, content: [{ tag: 'media_conn', attrs: {} }] })
  const found = answer && getBinaryNodeChild(answer, 'media_conn')
  if (!found) throw new Error('the platform names no media server')
  const hosts = getBinaryNodeChildren(found, 'host').map(host => ({
    hostname: host.attrs.hostname ?? '',
    maxContentLengthBytes: Number(host.attrs.maxContentLengthBytes),
  }))
  return { auth: found.attrs.auth ?? '', ttl: Number(found.attrs.ttl), hosts, fetchDate }
}
