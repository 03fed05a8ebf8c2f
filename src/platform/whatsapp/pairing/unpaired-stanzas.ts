import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET, type WASocket } from 'baileys'
import { getOwn } from '../../../runtime/get-own.ts'
import { confirmWithoutLibrary } from '../wire/unwritable.ts'

/** `ours`: the caller confirms the notification. `library`: the library handles and confirms it too. */
export type Handled = 'ours' | 'library'

export interface UnpairedHandlers {
  /** References for new codes. */
  onRefs(refs: string[]): void
  /** By the type of the notification; others are confirmed and ignored. */
  notifications: Readonly<Record<string, (stanza: BinaryNode) => Handled>>
}

/**
 * Handles the stanzas of a connection that is not linked yet. The library would show its own codes until it ends the
 * connection, and does not confirm most notifications.
 */
export function handleUnpaired(sock: WASocket, { onRefs, notifications }: UnpairedHandlers): void {
  const emit = sock.ws.emit.bind(sock.ws)
  sock.ws.emit = (event: string | symbol, ...args: unknown[]) => {
    const stanza = args[0] as BinaryNode
    if (event === 'CB:iq,type:set,pair-device') {
      answer(sock, stanza)
      onRefs(refsOf(stanza))
      return true
    }
    if (event !== 'CB:notification' || handle(notifications, stanza) === 'library') return emit(event, ...args)
    void confirmWithoutLibrary(sock, stanza).catch(() => {})
    return true
  }
}

/** A notification that cannot be read is confirmed too. */
function handle(notifications: UnpairedHandlers['notifications'], stanza: BinaryNode): Handled {
  try {
    return getOwn(notifications, stanza.attrs.type ?? '')?.(stanza) ?? 'ours'
  } catch {
    return 'ours'
  }
}

function answer(sock: WASocket, { attrs }: BinaryNode): void {
  const result = { tag: 'iq', attrs: { to: S_WHATSAPP_NET, type: 'result', ...(attrs.id && { id: attrs.id }) } }
  void sock.sendNode(result).catch(() => {})
}

function refsOf(stanza: BinaryNode): string[] {
  const refs = getBinaryNodeChildren(getBinaryNodeChild(stanza, 'pair-device'), 'ref')
  return refs.map(({ content }) => Buffer.from((content ?? '') as Uint8Array | string).toString('utf8'))
}
