import { encodeWAMessage, proto, unpadRandomMax16 } from 'baileys'
import { unixSeconds } from '../clock.ts'
import { numberJid } from '../jid.ts'
import { userOf } from '../people.ts'
import { saveDevice, takeBundle } from '../server/linked-device.ts'
import { message as messageStanza } from '../server/message-stanzas.ts'
import { push } from '../server/outbox.ts'
import { type BinaryNode, bytesOf, child } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { keyShare } from './app-state-keys.ts'
import { historyMessages, type OldChats, oldChatsMessage } from './history.ts'
import { addSession, decryptFrom, encryptFor, hasSession } from './keys.ts'
import { createMessageId } from './message-id.ts'
import { resendAnswer } from './placeholder-resend.ts'
import { historyRequestIn, requestedHistory } from './requested-history.ts'

/** Sends a message from the number's own phone to one of its devices, outside of any chat. */
function sendToOwnDevice(network: Network, user: User, device: LinkedDevice, message: proto.IMessage): void {
  if (!hasSession(user, device)) addSession(network, user, device, takeBundle(network, device))
  const { type, body } = encryptFor(network, user, device, encodeWAMessage(message))
  const head = {
    id: createMessageId(),
    t: String(unixSeconds(network)),
    type: 'text',
    notify: user.name,
    category: 'peer',
  }
  push(network, device, messageStanza({ ...head, from: numberJid(user.digits) }, [{ type, body }]))
}

/** The phone uses another key for the settings that its devices share from now on, and shares it with them. */
export function shareKeys(network: Network, user: User): void {
  for (const device of user.devices.values()) sendToOwnDevice(network, user, device, keyShare(network, user))
}

/** The phone sends its history to a device of its own. */
export function sendHistory(network: Network, user: User, device: LinkedDevice): void {
  for (const message of historyMessages(network, user)) sendToOwnDevice(network, user, device, message)
}

export function sendOldChats(network: Network, user: User, device: LinkedDevice, old: OldChats): void {
  sendToOwnDevice(network, user, device, oldChatsMessage(network, user, old))
}

/** The phone shares its keys and history with a device that logs in for the first time. */
export function greetDevice(network: Network, device: LinkedDevice): void {
  if (device.greeted || !network.historySync) return
  device.greeted = true
  saveDevice(network, device)
  const user = userOf(network, device.digits)
  sendToOwnDevice(network, user, device, keyShare(network, user))
  sendHistory(network, user, device)
}

/** Answers a device's request to its own phone: for withheld messages, older messages, and the keys of shared settings. */
export function answerPeerRequest(network: Network, device: LinkedDevice, stanza: BinaryNode): void {
  const part = child(stanza, 'enc')
  if (!part) return
  const user = userOf(network, device.digits)
  try {
    const plaintext = decryptFrom(network, user, device, part.attrs.type ?? '', bytesOf(part))
    const request = proto.Message.decode(unpadRandomMax16(plaintext))
    const keys = request.protocolMessage?.appStateSyncKeyRequest?.keyIds?.map(({ keyId }) => keyId ?? Buffer.alloc(0))
    const asked = historyRequestIn(request)
    const id = stanza.attrs.id ?? ''
    if (asked) {
      whenAwake(network, user, () => {
        for (const part of requestedHistory(network, user, id, asked)) sendToOwnDevice(network, user, device, part)
      })
      return
    }
    const answer = keys ? keyShare(network, user, keys) : resendAnswer(network, user, id, request)
    if (answer) sendToOwnDevice(network, user, device, answer)
  } catch (error) {
    network.logger?.debug(
      { number: device.digits, reason: String(error) },
      'the phone cannot read a request of its device',
    )
  }
}

/** A phone that sleeps does it when it wakes up. */
function whenAwake(network: Network, { digits }: User, act: () => void): void {
  const waiting = network.faults.asleepPhones.get(digits)
  if (waiting) waiting.push(act)
  else act()
}
