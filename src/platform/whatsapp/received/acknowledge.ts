import { type BinaryNode, isJidNewsletter, isLidUser, isPnUser, type WASocket } from 'baileys'
import { withoutDevice } from '../../../domain/jid.ts'

/** The receipt that the library would send for a message, for one that it must not see a second time. */
export async function acknowledgeMessage(sock: WASocket, stanza: BinaryNode): Promise<void> {
  const { from = '', participant, recipient, id = '', category, type } = stanza.attrs
  if (isJidNewsletter(from)) {
    const attrs = { id, to: from, class: 'message', ...(type !== undefined && { type }) }
    return sock.sendNode({ tag: 'ack', attrs })
  }
  const isDirect = isPnUser(from) === true || isLidUser(from) === true
  const author = participant ?? from
  if (category === 'peer') return sock.sendReceipt(from, participant, [id], 'peer_msg')
  if (isOwn(sock, author)) return sock.sendReceipt(recipient ?? from, author, [id], 'sender')
  return sock.sendReceipt(from, isDirect ? undefined : participant, [id], undefined)
}

export function isOwn(sock: Pick<WASocket, 'authState'>, jid: string): boolean {
  const me = sock.authState.creds.me
  const bare = withoutDevice(jid)
  return [me?.id, me?.lid].some(own => own !== undefined && withoutDevice(own) === bare)
}
