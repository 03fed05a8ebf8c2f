import type { BinaryNode, WAMessage, WASocket } from 'baileys'
import { isWritable } from '../wire/unwritable.ts'
import { acknowledgeInEveryWay, acknowledgeMessage, asMessage } from './acknowledge.ts'
import { ackOf } from '../wire/confirmation.ts'
import { isOwn } from '../wire/own-names.ts'
import { cleanStanza, headOf, openContentOf } from './message-stanza.ts'
import { nameableCopy, withoutRecipientNames } from './own-copy.ts'
import type { ReceivedContent } from './received-content.ts'

/** What the library and the server do with a received message. */
export interface MessageLibrary {
  /** Gives the stanza to the library; resolves when it has done with it. */
  handle(stanza: BinaryNode): Promise<void>
  /** The message as the library would emit it, without content; `undefined` where the stanza is no message. */
  headOf(stanza: BinaryNode): WAMessage | undefined
  /** The content of a message that is not encrypted, where that may be. */
  openContentOf(stanza: BinaryNode): ReceivedContent | undefined
  /** Tells the server that a message is received, for one that the library never sees again. */
  acknowledge(stanza: BinaryNode): Promise<void>
  /** The same in every shape that the platform may wait for. */
  acknowledgeInEveryWay(stanza: BinaryNode): Promise<void>
  /** Asks the sender's device for a message that could not be decrypted. */
  askAgain(stanza: BinaryNode): Promise<void>
}

export function messageLibraryOf(sock: WASocket): MessageLibrary {
  return {
    handle: stanza => giveToLibrary(sock, stanza),
    headOf: stanza => headOf(sock, withoutRecipientNames(sock, stanza)),
    openContentOf,
    // One that cannot be confirmed comes again with the next login, and is known then.
    acknowledge: stanza => acknowledgeMessage(sock, stanza).catch(() => {}),
    acknowledgeInEveryWay: stanza => acknowledgeInEveryWay(sock, stanza).catch(() => {}),
    askAgain: stanza => sock.sendRetryRequest(withoutRecipientNames(sock, stanza)).catch(() => {}),
  }
}

/** Gives a message to the library and waits for it. */
async function giveToLibrary(sock: WASocket, stanza: BinaryNode): Promise<void> {
  const listeners = sock.ws.listeners('CB:message') as Array<(stanza: BinaryNode) => unknown>
  const cleaned = withoutRecipientNames(sock, cleanStanza(asMessage(stanza)))
  const seen = nameableCopy(sock, withoutUnwritableName(sock, cleaned))
  await Promise.all(listeners.map(listener => listener(seen)))
  // The library confirms it as a message; it came by another name.
  if (stanza.tag !== 'message') await sock.sendNode(ackOf(stanza))
}

/** The library tells the server at once by what name the number writes. */
function withoutUnwritableName(sock: WASocket, stanza: BinaryNode): BinaryNode {
  const { notify, ...attrs } = stanza.attrs
  if (notify === undefined || isWritable(notify)) return stanza
  return isOwn(sock.authState.creds, attrs.participant ?? attrs.from ?? '') ? { ...stanza, attrs } : stanza
}
