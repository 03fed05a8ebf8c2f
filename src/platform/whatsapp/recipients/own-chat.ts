import { type BinaryNode, encodeSignedDeviceIdentity, type proto, type WASocket } from 'baileys'
import { inLibraryTransaction } from './sessions.ts'
import { stanzaTypeOf } from './stanza-type.ts'

export interface OwnMessage {
  to: string
  platformId: string
  message: proto.IMessage
  attributes?: Record<string, string>
  nodes?: BinaryNode[]
}

/** Sends to the number's own chat: the library would list each of its devices twice. */
export async function writeToSelf(sock: WASocket, own: OwnMessage, devices: readonly string[]): Promise<void> {
  const { to, platformId, message, attributes, nodes = [] } = own
  const { type, mediaType } = stanzaTypeOf(message)
  await inLibraryTransaction(sock, async () => {
    const extra: Record<string, string> = mediaType === undefined ? {} : { mediatype: mediaType }
    const { nodes: recipients, shouldIncludeDeviceIdentity } = await sock.createParticipantNodes(
      [...devices],
      ownCopy(message, to),
      extra,
    )
    const content: BinaryNode[] = [{ tag: 'participants', attrs: {}, content: recipients }]
    if (shouldIncludeDeviceIdentity) content.push(deviceIdentity(sock))
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
