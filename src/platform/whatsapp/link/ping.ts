import { S_WHATSAPP_NET, type WASocket } from 'baileys'

const PING = {
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type: 'get', xmlns: 'w:p' },
  content: [{ tag: 'ping', attrs: {} }],
}

/** Asks the platform for a sign of life: its answer, or whatever else it says meanwhile. */
export async function isPingAnswered(sock: Pick<WASocket, 'query' | 'ws'>, timeoutMs: number): Promise<boolean> {
  let isHeard = false
  const hear = () => {
    isHeard = true
  }
  sock.ws.on('frame', hear)
  try {
    await sock.query({ ...PING, attrs: { ...PING.attrs } }, timeoutMs)
  } catch {
    // A refusal has been heard like any other answer; silence and the end of the link have not.
  } finally {
    sock.ws.off('frame', hear)
  }
  return isHeard
}
