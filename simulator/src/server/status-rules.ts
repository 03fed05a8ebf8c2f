import { nameOf, userOf } from '../people.ts'
import { parseJid } from '../jid.ts'
import { type BinaryNode, child, children } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'

const INVALID = 479
const REVOKE = '7'
const SETTINGS: ReadonlySet<string> = new Set(['contacts', 'allowlist', 'denylist'])

/** The error for a malformed status post, if any. It must address people by hidden identifier. */
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

/** A post must name its audience; content about a post must not. */
function hasRightSetting(stanza: BinaryNode): boolean {
  const { type, edit } = stanza.attrs
  const setting = child(stanza, 'meta')?.attrs.status_setting
  return type === 'reaction' || edit === REVOKE ? setting === undefined : SETTINGS.has(setting ?? '')
}
