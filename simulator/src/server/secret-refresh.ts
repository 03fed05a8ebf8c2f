import { nowText } from '../clock.ts'
import { SERVER_JID } from '../jid.ts'
import { Refused } from '../refused.ts'
import { type BinaryNode, node } from '../wire/node.ts'
import type { Network } from '../world/network.ts'
import type { Pairing } from '../world/pairing.ts'
import { swallowsScan } from './pairing-habits.ts'
import { stanzaId } from './stanzas.ts'

const TYPE = 'companion_reg_refresh'
/** How long a phone waits for the client's confirmation. */
const CONFIRM_MS = 2_000

/** Shown to the phone's owner; the client does not learn of a failed scan. */
const COULD_NOT_LINK = 'the phone could not link the device: scan the code that is shown now'

/** Requires the client to replace the secret of its codes, not their references. Until it confirms, no phone links it. */
export function refreshSecret(network: Network, pairing: Pairing, what: string = TYPE): void {
  const id = stanzaId(network)
  pairing.refresh = { id, isConfirmed: false, confirmed: undefined }
  pairing.connection.send(node('notification', { from: SERVER_JID, type: TYPE, id, t: nowText(network) }, [node(what)]))
}

export function confirmRefresh({ refresh }: Pairing, { attrs }: BinaryNode): void {
  if (refresh === undefined || attrs.id !== refresh.id) return
  if (attrs.class !== 'notification' || attrs.type !== TYPE || attrs.to !== SERVER_JID) return
  refresh.isConfirmed = true
  refresh.confirmed?.()
}

/** Rejects a scan of a code whose secret was replaced, or while the client has not confirmed a replacement. */
export async function requireCurrentSecret(
  network: Network,
  pairing: Pairing,
  digits: string,
  secret: string,
): Promise<void> {
  if (!pairing.retired.has(secret) && swallowsScan(network, pairing, digits)) {
    pairing.retired.add(secret)
    refreshSecret(network, pairing)
    throw new Refused(COULD_NOT_LINK)
  }
  if (pairing.retired.has(secret) || !(await isRefreshConfirmed(network, pairing))) throw new Refused(COULD_NOT_LINK)
}

/** Whether the client has confirmed the last request to replace its secret, or does within `CONFIRM_MS`. */
export async function isRefreshConfirmed(network: Network, { refresh }: Pairing): Promise<boolean> {
  if (refresh === undefined || refresh.isConfirmed) return true
  await new Promise<void>(resolve => {
    refresh.confirmed = resolve
    network.later(CONFIRM_MS, resolve)
  })
  return refresh.isConfirmed
}
