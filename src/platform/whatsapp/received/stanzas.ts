import type { BinaryNode, WASocket } from 'baileys'
import { lookUp } from '../../../domain/look-up.ts'
import { isOwn } from './acknowledge.ts'
import { messageKeyOfStanza, poisonItem, stanzaItem } from './inbox-item.ts'
import type { Journal } from '../device/journal.ts'
import type { MessageLane } from './message-lane.ts'
import { cleanStanza } from './message-stanza.ts'
import { NO_CONTENT } from './received-content.ts'
import { answerPing, confirmByHand, isAnswerable, isWritable } from '../wire/unwritable.ts'
import { notificationLabel, receiptLabel } from '../wire/labels.ts'

export interface StanzaHooks {
  onAck(stanza: BinaryNode): void
  onCall(stanza: BinaryNode): void
  onNotification(stanza: BinaryNode): void
  onDropped(reason: string): void
}

/** Receipts that tell what became of a message; the others are between devices and the server. */
const TOLD_RECEIPTS = new Set([undefined, '', 'read', 'played'])

/** What the library answers for. */
const ANSWERED = new Set<string | symbol>(['CB:message', 'CB:receipt', 'CB:call', 'CB:notification'])

/**
 * Sees every stanza before the library does. Messages go through their lane; receipts, calls and channel
 * notifications are in the journal before the library can acknowledge them; presence needs no acknowledgement.
 */
export function interceptStanzas(
  sock: WASocket,
  journal: Pick<Journal, 'append' | 'appendDeferred'>,
  lane: Pick<MessageLane, 'push'>,
  hooks: StanzaHooks,
): void {
  const emit = sock.ws.emit.bind(sock.ws)
  const keep = (stanza: BinaryNode) => journal.append({ inbox: [stanzaItem(stanza, Date.now())] })
  const keepSoon = (stanza: BinaryNode) => journal.appendDeferred({ inbox: [stanzaItem(stanza, Date.now())] })

  const before: Record<string, (stanza: BinaryNode) => void> = {
    'CB:receipt': stanza => {
      if (TOLD_RECEIPTS.has(stanza.attrs.type)) keep(stanza)
      else hooks.onDropped(receiptLabel(stanza.attrs.type ?? ''))
    },
    'CB:call': stanza => {
      keep(stanza)
      hooks.onCall(stanza)
    },
    'CB:notification': stanza => {
      if (stanza.attrs.type === 'newsletter') keep(stanza)
      else hooks.onDropped(notificationLabel(stanza.attrs.type ?? ''))
      hooks.onNotification(stanza)
    },
    'CB:presence': keepSoon,
    'CB:chatstate': keepSoon,
    'CB:ack,class:message': hooks.onAck,
    'CB:iq,type:get': stanza => {
      if (isPing(stanza)) void answerPing(sock, stanza).catch(() => {})
    },
  }
  /** Whatever is wrong with a stanza, the library confirms it, and those behind it are heard. */
  const notice = (event: string, stanza: BinaryNode): void => {
    try {
      lookUp(before, event)?.(stanza)
    } catch {
      hooks.onDropped(`unreadable_${stanza.tag}`)
    }
  }
  /** It never comes again: of a message is kept what there is, and it is durable before this frame leaves. */
  const answerByHand = async (stanza: BinaryNode): Promise<void> => {
    if (stanza.tag === 'message')
      journal.append({ inbox: [poisonItem(stanza, NO_CONTENT.bytes, messageKeyOfStanza(stanza))] })
    await confirmByHand(sock, stanza)
  }
  sock.ws.emit = (event: string | symbol, ...words: unknown[]) => {
    if (ANSWERED.has(event) && !isAnswerable(words[0] as BinaryNode)) {
      hooks.onDropped('unanswerable')
      void answerByHand(words[0] as BinaryNode).catch(() => {})
      return true
    }
    if (event === 'CB:message') {
      lane.push(words[0] as BinaryNode)
      return true
    }
    if (typeof event === 'string') notice(event, words[0] as BinaryNode)
    return emit(event, ...words)
  }
}

/** The server asks whether somebody is there; nobody else may have an answer. */
const isPing = ({ attrs }: BinaryNode): boolean =>
  attrs.xmlns === 'urn:xmpp:ping' && /^@?s\.whatsapp\.net$/.test(attrs.from ?? 's.whatsapp.net')

/** Gives a message to the library and waits for it. */
export async function giveToLibrary(sock: WASocket, stanza: BinaryNode): Promise<void> {
  const listeners = sock.ws.listeners('CB:message') as Array<(stanza: BinaryNode) => unknown>
  await Promise.all(listeners.map(listener => listener(withoutUnwritableName(sock, cleanStanza(stanza)))))
}

/** The library tells the server at once by what name the number writes. */
function withoutUnwritableName(sock: WASocket, stanza: BinaryNode): BinaryNode {
  const { notify, ...attrs } = stanza.attrs
  if (notify === undefined || isWritable(notify)) return stanza
  return isOwn(sock, attrs.participant ?? attrs.from ?? '') ? { ...stanza, attrs } : stanza
}
