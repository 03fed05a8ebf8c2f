import { nameOf, userOf } from '../people.ts'
import { parseJid } from '../jid.ts'
import { type BinaryNode, child, children } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'

const INVALID = 479
const REVOKE = '7'
const SETTINGS: ReadonlySet<string> = new Set(['contacts', 'allowlist', 'denylist'])

/** Which error the shape of a status post is answered with, if any: it names people by hidden identifier alone. */
export function statusError(network: Network, device: LinkedDevice, stanza: BinaryNode): number | undefined {
  const { addressing_mode: addressing, participant } = stanza.attrs
  if (participant !== undefined) return undefined
  const named = children(child(stanza, 'participants'), 'to').map(({ attrs }) => attrs.jid)
  const own = nameOf(userOf(network, device.digits), 'lid')
  const isRight =
    addressing === undefined &&
    named.every(jid => parseJid(jid)?.server === 'lid') &&
    named.some(jid => jid?.replace(/:\d+@/, '@') === own) &&
    hasRightSetting(stanza)
  return isRight ? undefined : INVALID
}

/** A post says who may see it; what is about a post does not. */
function hasRightSetting(stanza: BinaryNode): boolean {
  const { type, edit } = stanza.attrs
  const setting = child(stanza, 'meta')?.attrs.status_setting
  return type === 'reaction' || edit === REVOKE ? setting === undefined : SETTINGS.has(setting ?? '')
}
