import {
  type BinaryNode,
  encodeWAMessage,
  extractE2ESessionFromRetryReceipt,
  getBinaryNodeChild,
  proto,
  type WASocket,
} from 'baileys'
import type { Clock } from '../../../runtime/clock.ts'
import { type Age, ExpiringMap } from '../../../runtime/expiring-map.ts'
import type { DeviceStorage } from '../../platform.ts'
import type { HeavyWork } from '../engine/heavy-work.ts'
import { verifySignature } from '../engine/curve.ts'
import { transient } from '../errors.ts'
import { type Ack, outcomeOf } from '../link/acks.ts'
import type { Connection } from '../link/connection.ts'
import type { Lids } from '../remembered/lids.ts'
import type { Tokens } from '../remembered/tokens.ts'
import { isOwn, ownDeviceLike } from '../wire/own-names.ts'
import { deviceIdentity, ownCopy } from './write-to-devices.ts'
import type { Recipients } from './recipients.ts'
import { beginWith, bundlesOf, inLibraryTransaction } from './sessions.ts'
import { editAttributeOf, stanzaTypeOf } from './stanza-type.ts'
import { STATUS_BROADCAST, withoutDevice } from '../../../domain/jid.ts'

export interface RetryAnswersDeps {
  clock: Pick<Clock, 'sleep'>
  heavyWork: Pick<HeavyWork, 'mayBegin'>
  storage: Pick<DeviceStorage, 'readSent' | 'readSeen'>
  lids: Pick<Lids, 'namesOf' | 'lidOf'>
  recipients: Pick<Recipients, 'forgetDevice'>
  /** Whether the owner of a device is in this chat, which has members. */
  isInChat(sock: WASocket, chat: string, device: string): Promise<boolean>
  tokens: Pick<Tokens, 'anyNodeFor'>
  /** How long the count of a device's requests is kept. */
  age: Age
  onDropped(reason: string): void
}

const MAX_ANSWERS = 5
/** Delays between the attempts to answer one request. */
const PAUSES_MS = [500, 2_000]

/**
 * Resends messages to devices that could not decrypt them: to each device separately, over a new session, a limited
 * number of times. A message leaves after the keys that it used are durable; the request is acknowledged after it.
 */
export class RetryAnswers {
  readonly #deps: RetryAnswersDeps
  readonly #answered: ExpiringMap<number>
  /** Ids of messages that were sent again. */
  readonly #sentAgain: ExpiringMap<true>
  #running: Promise<void> = Promise.resolve()

  constructor(deps: RetryAnswersDeps) {
    this.#deps = deps
    this.#answered = new ExpiringMap(5_000, deps.age)
    this.#sentAgain = new ExpiringMap(5_000, deps.age)
  }

  /** Handles one request at a time, so that many requests delay only other requests. */
  answer(connection: Pick<Connection, 'sock'>, stanza: BinaryNode): void {
    const { sock } = connection
    this.#running = this.#running
      .then(() => this.#tryToAnswer(sock, stanza))
      .then(() => sock.sendMessageAck(stanza))
      .catch(() => {})
  }

  /** The ack of a message that was sent again: a refusal is counted, because its recipient still waits for it. */
  noteAck(id: string, ack: Ack): void {
    if (!ack.ok && this.#sentAgain.get(id)) this.#deps.onDropped(`retry_${outcomeOf(ack)}`)
  }

  /** A device does not repeat an acknowledged request for long, so a temporary failure must not leave it unanswered. */
  async #tryToAnswer(sock: WASocket, stanza: BinaryNode): Promise<void> {
    const { clock, onDropped } = this.#deps
    const request = readRetryRequest(stanza)
    if (!request) return onDropped('retry_unreadable')
    if (this.#isTooOften(request)) return onDropped('retry_too_often')
    for (const pauseMs of [...PAUSES_MS, undefined]) {
      try {
        return await this.#answer(sock, request, stanza)
      } catch {
        if (pauseMs === undefined) return onDropped('retry_failed')
        await clock.sleep(pauseMs)
      }
    }
  }

  #isTooOften({ id, requester, count }: RetryRequest): boolean {
    const key = `${id}/${requester}`
    const times = (this.#answered.get(key) ?? 0) + 1
    if (times > MAX_ANSWERS || count > MAX_ANSWERS) return true
    this.#answered.set(key, times)
    return false
  }

  async #answer(sock: WASocket, request: RetryRequest, stanza: BinaryNode): Promise<void> {
    const { heavyWork, storage, recipients, onDropped } = this.#deps
    if (!(await this.#mayRequest(sock, request))) return onDropped('retry_of_unknown')
    const encoded = (await this.#wasSentThere(request)) ? await storage.readSent(request.id) : undefined
    // All requests of a device for unknown messages count together: anybody can invent ids.
    if (!encoded && this.#isTooOften({ ...request, id: '' })) return onDropped('retry_too_often')
    await heavyWork.mayBegin()
    // Even if the message is unknown, the device could not read the next one either.
    await recipients.forgetDevice(request.requester, request.chat)
    const begin = await keysFor(sock, request.requester, stanza)
    if (!encoded) {
      await inLibraryTransaction(sock, begin)
      return onDropped('retry_of_unknown')
    }
    const isSent = await sendAgain(sock, request, begin, encoded, await this.#tokenFor(sock, request))
    if (isSent) this.#sentAgain.set(request.id, true)
    else onDropped('retry_without_keys')
  }

  /** A person who requires a token requires it of a message that is sent again, too. */
  async #tokenFor(sock: WASocket, { requester, hasMembers }: RetryRequest): Promise<BinaryNode | undefined> {
    if (hasMembers || isOwn(sock.authState.creds, requester)) return undefined
    const lid = await this.#deps.lids.lidOf(withoutDevice(requester))
    return lid === undefined ? undefined : await this.#deps.tokens.anyNodeFor(lid)
  }

  /** A device that is in the chat, and that does not claim to be one of the number's own. */
  async #mayRequest(sock: WASocket, { requester, chat, hasMembers, recipient }: RetryRequest): Promise<boolean> {
    if (hasMembers) return await this.#deps.isInChat(sock, chat, requester)
    return recipient === undefined || isOwn(sock.authState.creds, requester)
  }

  /** Ids are no secret: the message has to be one of that chat. */
  async #wasSentThere({ id, chat, hasMembers }: RetryRequest): Promise<boolean> {
    const { lids, storage } = this.#deps
    const seen = await storage.readSeen(id, hasMembers ? [chat] : await lids.namesOf(chat))
    return seen?.fromMe === true
  }
}

/** Begins a session with a device. */
type Begin = () => Promise<boolean>

/** With the keys in the request, or with those that the platform has. */
async function keysFor(sock: WASocket, jid: string, stanza: BinaryNode): Promise<Begin> {
  const session = extractE2ESessionFromRetryReceipt(stanza)
  if (session && isSigned(session))
    return async () => {
      await sock.signalRepository.injectE2ESession({ jid, session: session as never })
      return true
    }
  const [user] = (await bundlesOf(sock, [jid])) ?? []
  return async () => {
    const outcome = await beginWith(sock, user)
    if (outcome === 'unanswered') throw transient('the platform returns no keys of the device now')
    return outcome === 'begun'
  }
}

const isSigned = ({ identityKey, signedPreKey }: NonNullable<ReturnType<typeof extractE2ESessionFromRetryReceipt>>) =>
  verifySignature(identityKey, signedPreKey.publicKey, signedPreKey.signature)

/** One transaction: the new session, the encryption under it, and the frame that waits until both are durable. */
function sendAgain(
  sock: WASocket,
  request: RetryRequest,
  begin: Begin,
  encoded: Uint8Array,
  token: BinaryNode | undefined,
): Promise<boolean> {
  const { id, requester, chat, hasMembers, recipient, count, at } = request
  const message = proto.Message.decode(encoded)
  const { type: kind, mediaType } = stanzaTypeOf(message)
  const edit = editAttributeOf(message)
  return inLibraryTransaction(sock, async () => {
    if (!(await begin())) return false
    const data = encodeWAMessage(await contentFor(sock, request, message))
    const { type, ciphertext } = await sock.signalRepository.encryptMessage({ jid: requester, data })
    const part = { v: '2', type, count: String(count), ...(mediaType !== undefined && { mediatype: mediaType }) }
    const content: BinaryNode[] = [{ tag: 'enc', attrs: part, content: ciphertext }]
    if (type === 'pkmsg') content.push(deviceIdentity(sock))
    if (token) content.push(token)
    const where: Record<string, string> = hasMembers
      ? { to: chat, participant: requester }
      : { to: requester, device_fanout: 'false' }
    const attrs = {
      ...where,
      id,
      type: kind,
      ...(at !== undefined && { t: at }),
      ...(recipient !== undefined && { recipient }),
      ...(edit !== undefined && { edit }),
    }
    await sock.sendNode({ tag: 'message', attrs, content })
    return true
  })
}

/**
 * In a chat with members the sender key is included; the number's own devices get the copy that names the recipient.
 */
async function contentFor(
  sock: WASocket,
  { requester, chat, hasMembers, recipient }: RetryRequest,
  message: proto.IMessage,
): Promise<proto.IMessage> {
  if (!hasMembers) return isOwn(sock.authState.creds, requester) ? ownCopy(message, recipient ?? chat) : message
  const meId = ownDeviceLike(sock.authState.creds, requester)
  const key = await sock.signalRepository.getSenderKeyDistributionMessage({ group: chat, meId })
  return { ...message, senderKeyDistributionMessage: { groupId: chat, axolotlSenderKeyDistributionMessage: key } }
}

/** A device's request for a message that it could not decrypt. */
interface RetryRequest {
  readonly id: string
  /** The device, as it names itself. */
  readonly requester: string
  /** The chat that the message was sent to. */
  readonly chat: string
  /** Whether the chat has members and a sender key. */
  readonly hasMembers: boolean
  /** The recipient of the message, if the request is of the number's own device. */
  readonly recipient: string | undefined
  /** How often the device has sent this request. */
  readonly count: number
  readonly at: string | undefined
}

function readRetryRequest(stanza: BinaryNode): RetryRequest | undefined {
  const { id, from, participant, recipient, t } = stanza.attrs
  if (!id || !from) return undefined
  const hasMembers = from.endsWith('@g.us') || from === STATUS_BROADCAST
  const requester = hasMembers ? (participant ?? from) : from
  // In a direct chat a device requests only for itself.
  if (!hasMembers && participant !== undefined) return undefined
  const chat = hasMembers ? from : withoutDevice(recipient ?? from)
  const count = Math.max(1, Number(getBinaryNodeChild(stanza, 'retry')?.attrs.count) || 1)
  return { id, requester, chat, hasMembers, recipient, count, at: t }
}
