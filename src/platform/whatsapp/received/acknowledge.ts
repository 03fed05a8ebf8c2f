import type { BinaryNode, WASocket } from 'baileys'
import { ackOf, confirmationOf, hasReceipt } from '../wire/confirmation.ts'
import { isOwn } from '../wire/own-names.ts'

/** Confirms a message as the library would, for one that it must not see a second time. */
export async function acknowledgeMessage(sock: WASocket, stanza: BinaryNode): Promise<void> {
  const { from = '', participant } = stanza.attrs
  await sock.sendNode(confirmationOf(asMessage(stanza), isOwn(sock.authState.creds, participant ?? from)))
  // Under a tag of its own it may be waited for by that name too.
  if (stanza.tag !== 'message') await sock.sendNode(ackOf(stanza))
}

/** For a message that the platform still waits for after its confirmation: reports differ on what it wants to hear. */
export async function acknowledgeInEveryWay(sock: WASocket, stanza: BinaryNode): Promise<void> {
  await acknowledgeMessage(sock, stanza)
  if (hasReceipt(stanza)) await sock.sendNode(ackOf(asMessage(stanza)))
}

/** Status posts may come under a tag of their own, and are messages in all else. */
export const asMessage = (stanza: BinaryNode): BinaryNode =>
  stanza.tag === 'message' ? stanza : { ...stanza, tag: 'message' }
