import { S_WHATSAPP_NET, type WASocket } from 'baileys'

/** Asks the platform for a sign of life. The library takes silence for an empty answer; a refusal is an answer too. */
export async function isPingAnswered(sock: Pick<WASocket, 'query'>, timeoutMs: number): Promise<boolean> {
  const ping = {
    tag: 'iq',
    attrs: { to: S_WHATSAPP_NET, type: 'get', xmlns: 'w:p' },
    content: [{ tag: 'ping', attrs: {} }],
  }
  try {
    return (await sock.query(ping, timeoutMs)) !== undefined
  } catch (error) {
    return isRefusal(error)
  }
}

const isRefusal = (error: unknown): boolean => typeof (error as { data?: unknown } | null)?.data === 'number'
