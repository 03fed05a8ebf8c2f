import { type BinaryNode, isLidUser, isPnUser, type WAMessage, type WASocket } from 'baileys'
import { isWritable } from '../wire/unwritable.ts'
import { ackOf, confirmationOf, hasReceipt } from '../wire/confirmation.ts'
import { isOwn, ownLid } from '../wire/own-names.ts'
import { cleanStanza, headOf, plainContentOf } from './message-stanza.ts'
import type { ReceivedContent } from './received-content.ts'

/** What the library and the server do with a received message. */
export interface MessageLibrary {
  /** Gives the stanza to the library; resolves when the library is done with it. */
  handle(stanza: BinaryNode): Promise<void>
  /** The message as the library would emit it, without content; `undefined` if the stanza is no message. */
  headOf(stanza: BinaryNode): WAMessage | undefined
  /** The content of a channel post, the only kind of message that comes unencrypted. */
  plainContentOf(stanza: BinaryNode): ReceivedContent | undefined
  /** Acknowledges a message that the library never sees again. */
  acknowledge(stanza: BinaryNode): Promise<void>
  /** Acknowledges a message in every form that the platform may wait for. */
  acknowledgeInEveryWay(stanza: BinaryNode): Promise<void>
  /** Requests a message that could not be decrypted from the sender's device. */
  requestAgain(stanza: BinaryNode): Promise<void>
}

/** `isOnline`: whether senders see what is received as delivered. */
export function messageLibraryOf(sock: WASocket, isOnline: () => boolean): MessageLibrary {
  return {
    handle: stanza => giveToLibrary(sock, stanza),
    headOf: stanza => headOf(sock, withoutRecipientNames(sock, stanza)),
    plainContentOf,
    // A message whose acknowledgement fails is redelivered with the next login, and is known then.
    acknowledge: stanza => acknowledgeMessage(sock, stanza, isOnline()).catch(() => {}),
    acknowledgeInEveryWay: stanza => acknowledgeInEveryWay(sock, stanza, isOnline()).catch(() => {}),
    requestAgain: stanza => sock.sendRetryRequest(withoutRecipientNames(sock, stanza)).catch(() => {}),
  }
}

async function giveToLibrary(sock: WASocket, stanza: BinaryNode): Promise<void> {
  const listeners = sock.ws.listeners('CB:message') as Array<(stanza: BinaryNode) => unknown>
  const cleaned = withoutRecipientNames(sock, cleanStanza(asMessage(stanza)))
  const seen = nameableCopy(sock, withoutUnwritableName(sock, cleaned))
  await Promise.all(listeners.map(listener => listener(seen)))
  // The library acknowledges it as a message, but it came under another tag.
  if (stanza.tag !== 'message') await sock.sendNode(ackOf(stanza))
}

/** The library sends the name that its own number uses on to the server. */
function withoutUnwritableName(sock: WASocket, stanza: BinaryNode): BinaryNode {
  const { notify, ...attrs } = stanza.attrs
  if (notify === undefined || isWritable(notify)) return stanza
  return isOwn(sock.authState.creds, attrs.participant ?? attrs.from ?? '') ? { ...stanza, attrs } : stanza
}

/** Acknowledges a message as the library would. */
async function acknowledgeMessage(sock: WASocket, stanza: BinaryNode, isOnline: boolean): Promise<void> {
  const { from = '', participant } = stanza.attrs
  const isOwnMessage = isOwn(sock.authState.creds, participant ?? from)
  await sock.sendNode(confirmationOf(asMessage(stanza), isOwnMessage, isOnline))
  // The platform may also wait for an acknowledgement under the original tag.
  if (stanza.tag !== 'message') await sock.sendNode(ackOf(stanza))
}

/** For a message that the platform still waits for after its acknowledgement: reports differ on the form it expects. */
async function acknowledgeInEveryWay(sock: WASocket, stanza: BinaryNode, isOnline: boolean): Promise<void> {
  await acknowledgeMessage(sock, stanza, isOnline)
  if (hasReceipt(stanza)) await sock.sendNode(ackOf(asMessage(stanza)))
}

/** Status posts may come under a separate tag; otherwise they are messages. */
const asMessage = (stanza: BinaryNode): BinaryNode =>
  stanza.tag === 'message' ? stanza : { ...stanza, tag: 'message' }

/**
 * The copy of a message that another device of the number has sent, changed for the library: it would take the sender's
 * other names for the recipient's, and would not acknowledge a copy without a hidden identifier.
 */
function nameableCopy({ authState }: Pick<WASocket, 'authState'>, stanza: BinaryNode): BinaryNode {
  const { recipient = '', from = '', category } = stanza.attrs
  if (category === 'peer' || !isOwn(authState.creds, from)) return stanza
  const { sender_pn: _phone, sender_lid: _lid, ...attrs } = stanza.attrs
  const hasHiddenName = isLidUser(recipient) === true || isLidUser(attrs.peer_recipient_lid) === true
  const lid = ownLid(authState.creds)
  if (hasHiddenName || isPnUser(from) !== true || lid === undefined) return { ...stanza, attrs }
  // The library already knows the mapping of the own hidden identifier, so this adds no wrong one.
  return { ...stanza, attrs: { ...attrs, addressing_mode: 'pn', sender_lid: lid } }
}

/**
 * Only a copy of the number's own message may name its recipient: in another person's message the library would take
 * that for another name of the sender.
 */
function withoutRecipientNames({ authState }: Pick<WASocket, 'authState'>, stanza: BinaryNode): BinaryNode {
  const { peer_recipient_pn: phone, peer_recipient_lid: lid, ...attrs } = stanza.attrs
  if (phone === undefined && lid === undefined) return stanza
  return isOwn(authState.creds, attrs.participant ?? attrs.from ?? '') ? stanza : { ...stanza, attrs }
}
