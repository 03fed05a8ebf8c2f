import { type BinaryNode, encodeSignedDeviceIdentity, type proto, type WASocket } from 'baileys'
import { isOwn } from '../wire/own-names.ts'
import { inLibraryTransaction } from './sessions.ts'
import { stanzaTypeOf } from './stanza-type.ts'

export interface DirectMessage {
  to: string
  platformId: string
  message: proto.IMessage
  attributes?: Record<string, string>
  nodes?: BinaryNode[]
}

/**
 * Sends to these devices alone: to the number's own chat, of which the library would list each device twice, and to
 * devices that a message has left out.
 */
export async function writeToDevices(sock: WASocket, direct: DirectMessage, devices: readonly string[]): Promise<void> {
  const { to, platformId, message, attributes, nodes = [] } = direct
  const { type, mediaType } = stanzaTypeOf(message)
  const isMine = (device: string): boolean => isOwn(sock.authState.creds, device)
  await inLibraryTransaction(sock, async () => {
    const extra: Record<string, string> = mediaType === undefined ? {} : { mediatype: mediaType }
    const [copies, others] = [devices.filter(isMine), devices.filter(device => !isMine(device))]
    const written = [
      await sock.createParticipantNodes(copies, ownCopy(message, to), extra),
      await sock.createParticipantNodes(others, message, extra),
    ]
    const recipients = written.flatMap(each => each.nodes)
    const content: BinaryNode[] = [{ tag: 'participants', attrs: {}, content: recipients }]
    if (written.some(each => each.shouldIncludeDeviceIdentity)) content.push(deviceIdentity(sock))
    const attrs = { id: platformId, to, type, ...attributes }
    await sock.sendNode({ tag: 'message', attrs, content: [...content, ...nodes] })
  })
}

/** The copy for the number's other devices, which names the recipient of the message. */
export function ownCopy(message: proto.IMessage, destinationJid: string): proto.IMessage {
  const { messageContextInfo } = message
  return { deviceSentMessage: { destinationJid, message }, ...(messageContextInfo && { messageContextInfo }) }
}

/** A device without a session with this one needs this to trust it. */
export function deviceIdentity({ authState }: Pick<WASocket, 'authState'>): BinaryNode {
  const content = encodeSignedDeviceIdentity(authState.creds.account!, true)
  return { tag: 'device-identity', attrs: {}, content }
}
