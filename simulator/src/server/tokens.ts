import { createHash } from 'node:crypto'
import { nowText, unixSeconds } from '../clock.ts'
import { formOf } from '../behaviour.ts'
import { lidJid, numberJid } from '../jid.ts'
import { nameOf, otherNameOf, userByJid, userOf } from '../people.ts'
import { hmac } from '../signal/derive.ts'
import { type BinaryNode, bytesOf, child, children, node } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { IqError } from './iq-error.ts'
import { push } from './outbox.ts'
import { stanzaId } from './stanzas.ts'

const BUCKET_SECONDS = 604_800
/** For how many buckets a token is valid, including the present one. */
const GOOD_BUCKETS = 4
const ISSUED_LATE_SECONDS = 86_400

const bucketOf = (seconds: number): number => Math.floor(seconds / BUCKET_SECONDS)

/** The token that a person gives to a number so that it may write; it cannot be guessed. */
function tokenOf(person: User, digits: string, bucket: number): Buffer {
  return hmac(person.keys.local.identity.private, Buffer.from(`trusted ${digits} ${bucket}`))
}

/** The salt for a number's tokens to people who have given it none; its phone shares it with its devices. */
export function saltOf(user: User): Buffer {
  return createHash('sha256').update('nct salt').update(user.keys.local.identity.private).digest()
}

/** Whether a message contains a token that a wary recipient accepts. */
export function hasValidToken(network: Network, device: LinkedDevice, stanza: BinaryNode, recipient: User): boolean {
  const given = child(stanza, 'tctoken')
  const bucket = bucketOf(unixSeconds(network))
  const good = Array.from({ length: GOOD_BUCKETS }, (_, age) => tokenOf(recipient, device.digits, bucket - age))
  if (given) return good.some(token => token.equals(bytesOf(given)))
  const made = child(stanza, 'cstoken')
  const salt = saltOf(userOf(network, device.digits))
  return !!made && hmac(salt, Buffer.from(lidJid(recipient.lid))).equals(bytesOf(made))
}

/** A person allows a number to write, once in each bucket; the server notifies the number's devices. */
export function issueToken(network: Network, person: User, to: User): void {
  const now = unixSeconds(network)
  if (bucketOf(person.trusts.get(to.digits) ?? 0) === bucketOf(now)) return
  person.trusts.set(to.digits, now)
  const form = formOf(person)
  for (const device of to.devices.values()) {
    const own = { jid: numberJid(to.digits, device.device), type: 'trusted_contact', t: String(now) }
    const token = node('token', own, tokenOf(person, to.digits, bucketOf(now)))
    const from = otherNameOf(person, 'lid') ?? nameOf(person, form)
    const head = { from, sender_lid: form === 'lid' ? nameOf(person, 'lid') : undefined, t: nowText(network) }
    const attributes = { ...head, type: 'privacy_token', id: stanzaId(network) }
    push(network, device, node('notification', attributes, [node('tokens', {}, [token])]))
  }
}

/** A number allows people to write to it. */
export function takeTokens(network: Network, device: LinkedDevice, tokens: BinaryNode): void {
  for (const { attrs } of children(tokens, 'token')) {
    const person = userByJid(network, attrs.jid)
    const isRecent = Math.abs(unixSeconds(network) - Number(attrs.t)) < ISSUED_LATE_SECONDS
    if (!person || attrs.type !== 'trusted_contact' || !isRecent) throw new IqError(400, 'bad-request')
    issueToken(network, userOf(network, device.digits), person)
  }
}

/** The token of a person in the form of the history of the number's phone. */
export function keptToken(person: User, number: User): { tcToken?: Buffer; tcTokenTimestamp?: number } {
  const times = [...person.sent.values()].filter(({ chat }) => chat === number.digits).map(sent => sent.timestamp)
  const issued = person.trusts.get(number.digits) ?? times.at(-1)
  if (issued === undefined) return {}
  return { tcToken: tokenOf(person, number.digits, bucketOf(issued)), tcTokenTimestamp: issued }
}
