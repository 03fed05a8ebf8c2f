import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, type WASocket } from 'baileys'
import { getOwn } from '../../../runtime/get-own.ts'
import { confirmByHand } from '../wire/unwritable.ts'

/** `ours`: it is confirmed for it. `library`: the library handles it too, and confirms it. */
export type Handled = 'ours' | 'library'

export interface UnpairedHandlers {
  /** References that codes can be made of. */
  onRefs(refs: string[]): void
  /** By the type of the notification; others are confirmed and pass unheard. */
  notifications: Readonly<Record<string, (stanza: BinaryNode) => Handled>>
}

/**
 * Hears what the platform says on a connection that is not linked yet. The library would show codes of its own until it
 * ends the connection, and leaves most notifications without the confirmation that the platform waits for.
 */
export function hearUnpaired(sock: WASocket, { onRefs, notifications }: UnpairedHandlers): void {
  const emit = sock.ws.emit.bind(sock.ws)
  sock.ws.emit = (event: string | symbol, ...words: unknown[]) => {
    const stanza = words[0] as BinaryNode
    if (event === 'CB:iq,type:set,pair-device') {
      answer(sock, stanza)
      onRefs(refsOf(stanza))
      return true
    }
    if (event !== 'CB:notification' || handle(notifications, stanza) === 'library') return emit(event, ...words)
    void confirmByHand(sock, stanza).catch(() => {})
    return true
  }
}

/** Whatever is wrong with a notification, it is confirmed. */
function handle(notifications: UnpairedHandlers['notifications'], stanza: BinaryNode): Handled {
  try {
    return getOwn(notifications, stanza.attrs.type ?? '')?.(stanza) ?? 'ours'
  } catch {
    return 'ours'
  }
}

function answer(sock: WASocket, { attrs }: BinaryNode): void {
  const result = { tag: 'iq', attrs: { to: 's.whatsapp.net', type: 'result', ...(attrs.id && { id: attrs.id }) } }
  void sock.sendNode(result).catch(() => {})
}

function refsOf(stanza: BinaryNode): string[] {
  const refs = getBinaryNodeChildren(getBinaryNodeChild(stanza, 'pair-device'), 'ref')
  return refs.map(({ content }) => Buffer.from((content ?? '') as Uint8Array | string).toString('utf8'))
}
