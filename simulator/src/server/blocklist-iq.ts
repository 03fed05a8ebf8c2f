import { createHash } from 'node:crypto'
import { behaviourOf, hasLid, isHidden } from '../behaviour.ts'
import { nowText } from '../clock.ts'
import { lidJid, numberJid, parseJid } from '../jid.ts'
import { saveUser, userByJid, userOf } from '../people.ts'
import { type BinaryNode, child, node } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { IqError } from './iq-error.ts'
import { push } from './outbox.ts'
import { stanzaId } from './stanzas.ts'

/** Answers whom a number has blocked, and blocks or unblocks a person. */
export function answerBlocklist(network: Network, device: LinkedDevice, iq: BinaryNode): BinaryNode[] {
  const user = userOf(network, device.digits)
  if (iq.attrs.type === 'set') changeBlocklist(network, device, user, child(iq, 'item'))
  const blocked = [...user.blocked].map(digits => userOf(network, digits))
  const items = blocked.map(person => node('item', { jid: nameOf(person), pn_jid: shownNumber(person) }))
  return [node('list', { dhash: hashOf(user), addressing_mode: 'lid' }, items)]
}

/** The platform wants the hidden identifier, and beside it the number to block a person. */
function changeBlocklist(network: Network, device: LinkedDevice, user: User, item: BinaryNode | undefined): void {
  const { action, jid, pn_jid: number } = item?.attrs ?? {}
  const person = userByJid(network, jid)
  if (!person || behaviourOf(person) === 'absent') throw new IqError(404, 'item-not-found')
  const isByNumber = parseJid(jid)?.server !== 'lid'
  if (isByNumber && hasLid(person)) throw new IqError(400, 'bad-request')
  if (person === user) throw new IqError(406, 'not-acceptable')
  if (action === 'block') {
    if (userByJid(network, number) !== person) throw new IqError(400, 'bad-request')
    user.blocked.add(person.digits)
  } else if (action === 'unblock') user.blocked.delete(person.digits)
  else throw new IqError(400, 'bad-request')
  saveUser(network, user)
  announceToOthers(network, device, user, node('item', { action, jid: nameOf(person) }))
}

/** The number's other devices hear of it. */
function announceToOthers(network: Network, device: LinkedDevice, user: User, item: BinaryNode): void {
  for (const other of user.devices.values()) {
    if (other === device) continue
    const head = { type: 'account_sync', from: numberJid(user.digits), id: stanzaId(network), t: nowText(network) }
    push(
      network,
      other,
      node('notification', head, [node('blocklist', { action: 'modify', dhash: hashOf(user) }, [item])]),
    )
  }
}

const nameOf = (person: User): string => (hasLid(person) ? lidJid(person.lid) : numberJid(person.digits))
const shownNumber = (person: User): string | undefined => (isHidden(person) ? undefined : numberJid(person.digits))

const hashOf = ({ blocked }: User): string =>
  createHash('sha256')
    .update([...blocked].sort().join())
    .digest('base64')
    .slice(0, 8)
