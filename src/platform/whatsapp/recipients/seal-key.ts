import { type BinaryNode, type proto, type WASocket } from 'baileys'
import type { HeavyWork } from '../engine/heavy-work.ts'
import { deviceIdentity } from './write-to-devices.ts'
import { inLibraryTransaction } from './sessions.ts'
import { stanzaTypeOf } from './stanza-type.ts'

/** The number of devices for which the key is encrypted before other messages and other heavy work get their turn. */
const DEVICES_PER_SLOT = 10

export interface KeyToSeal {
  /** The group, or Status. */
  chat: string
  /** This device, under the name that the message uses. */
  meId: string
  devices: readonly string[]
  /** The attributes of each encrypted part, as in the rest of the stanza. */
  attributes: Record<string, string>
}

export interface SealedKey {
  /** A node for each device. */
  nodes: BinaryNode[]
  /** What a device needs that has no session with this one yet. */
  identity: BinaryNode[]
}

/**
 * Encrypts the sender key of a chat for each of these devices. A group may have a thousand members, and transactions of
 * a number run one after the other: with one transaction for all devices, direct messages would wait for the group.
 */
export async function sealKey(
  sock: WASocket,
  { chat, meId, devices, attributes }: KeyToSeal,
  heavyWork: Pick<HeavyWork, 'mayBegin'>,
): Promise<SealedKey> {
  if (devices.length === 0) return { nodes: [], identity: [] }
  const key = await inLibraryTransaction(sock, () =>
    sock.signalRepository.getSenderKeyDistributionMessage({ group: chat, meId }),
  )
  const message = { senderKeyDistributionMessage: { groupId: chat, axolotlSenderKeyDistributionMessage: key } }
  const nodes: BinaryNode[] = []
  let needsIdentity = false
  for (let from = 0; from < devices.length; from += DEVICES_PER_SLOT) {
    if (from > 0) await heavyWork.mayBegin()
    const some = devices.slice(from, from + DEVICES_PER_SLOT)
    const sealed = await inLibraryTransaction(sock, () => sealFor(sock, some, message, attributes))
    nodes.push(...sealed.nodes)
    needsIdentity ||= sealed.shouldIncludeDeviceIdentity
  }
  return { nodes, identity: needsIdentity ? [deviceIdentity(sock)] : [] }
}

type Sealed = Awaited<ReturnType<WASocket['createParticipantNodes']>>

/** A device for which encryption fails requests the message again. */
async function sealFor(
  sock: WASocket,
  devices: string[],
  message: proto.IMessage,
  attributes: Record<string, string>,
): Promise<Sealed> {
  try {
    return await sock.createParticipantNodes(devices, message, attributes)
  } catch (error) {
    if ((error as Error).message !== 'All encryptions failed') throw error
    return { nodes: [], shouldIncludeDeviceIdentity: false }
  }
}

/** The attributes of the encrypted parts of a message to many. */
export function partAttributesOf(message: proto.IMessage): Record<string, string> {
  const { mediaType } = stanzaTypeOf(message)
  return {
    ...(mediaType !== undefined && { mediatype: mediaType }),
    ...((message.reactionMessage ?? message.pinInChatMessage) && { 'decrypt-fail': 'hide' }),
  }
}
