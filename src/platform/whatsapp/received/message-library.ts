import { type BinaryNode, isLidUser, isPnUser, type WAMessage, type WASocket } from 'baileys'
import { isWritable } from '../wire/unwritable.ts'
import { ackOf, confirmationOf, hasReceipt } from '../wire/confirmation.ts'
import { isOwn, ownLid } from '../wire/own-names.ts'
import { cleanStanza, headOf, openContentOf } from './message-stanza.ts'
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

/** Confirms a message as the library would, for one that it must not see a second time. */
async function acknowledgeMessage(sock: WASocket, stanza: BinaryNode): Promise<void> {
  const { from = '', participant } = stanza.attrs
  await sock.sendNode(confirmationOf(asMessage(stanza), isOwn(sock.authState.creds, participant ?? from)))
  // Under a tag of its own it may be waited for by that name too.
  if (stanza.tag !== 'message') await sock.sendNode(ackOf(stanza))
}

/** For a message that the platform still waits for after its confirmation: reports differ on what it wants to hear. */
async function acknowledgeInEveryWay(sock: WASocket, stanza: BinaryNode): Promise<void> {
  await acknowledgeMessage(sock, stanza)
  if (hasReceipt(stanza)) await sock.sendNode(ackOf(asMessage(stanza)))
}

/** Status posts may come under a tag of their own, and are messages in all else. */
const asMessage = (stanza: BinaryNode): BinaryNode =>
  stanza.tag === 'message' ? stanza : { ...stanza, tag: 'message' }

/**
 * A copy of what another device of the number has sent, as the library may see it: of the other names in it the library
 * believes that they are the recipient's, and where there is no hidden one it confirms the copy to nobody.
 */
function nameableCopy({ authState }: Pick<WASocket, 'authState'>, stanza: BinaryNode): BinaryNode {
  const { recipient = '', from = '', category } = stanza.attrs
  if (category === 'peer' || !isOwn(authState.creds, from)) return stanza
  const { sender_pn: _phone, sender_lid: _lid, ...attrs } = stanza.attrs
  const hasHiddenName = isLidUser(recipient) === true || isLidUser(attrs.peer_recipient_lid) === true
  const lid = ownLid(authState.creds)
  if (hasHiddenName || isPnUser(from) !== true || lid === undefined) return { ...stanza, attrs }
  // The library knows which number this one is of: it learns nothing from it.
  return { ...stanza, attrs: { ...attrs, addressing_mode: 'pn', sender_lid: lid } }
}

/**
 * Only a copy of what the number itself has sent tells whom it was for: in a message of somebody else the library takes
 * that for another name of the sender.
 */
function withoutRecipientNames({ authState }: Pick<WASocket, 'authState'>, stanza: BinaryNode): BinaryNode {
  const { peer_recipient_pn: phone, peer_recipient_lid: lid, ...attrs } = stanza.attrs
  if (phone === undefined && lid === undefined) return stanza
  return isOwn(authState.creds, attrs.participant ?? attrs.from ?? '') ? stanza : { ...stanza, attrs }
}
