import { passkeyDemandOf } from '../passkey/demands.ts'
import type { Network } from '../world/network.ts'
import type { Pairing } from '../world/pairing.ts'
import { completePairing } from './complete-pairing.ts'
import { Ceremony } from './passkey-ceremony.ts'

/** The result of entering a client's code: the device is linked, or the platform requires the passkey. */
export type Accepted = 'linked' | 'passkey'

/** Continues the linking after the phone has got the code and with it the client's secret. */
export async function acceptCode(
  network: Network,
  pairing: Pairing,
  digits: string,
  advSecret: Buffer,
): Promise<Accepted> {
  const demand = network.faults.passkeys.get(digits) ?? passkeyDemandOf(digits)
  if (demand === 'none') {
    await completePairing(network, pairing, digits, advSecret)
    return 'linked'
  }
  const onKeys = (newSecret: Buffer): void => {
    void completePairing(network, pairing, digits, newSecret).catch((error: unknown) => {
      network.logger?.warn({ reason: String(error) }, 'pairing by passkey failed')
    })
  }
  pairing.pending = { accept: () => {}, refuse: () => {} }
  const ceremony = new Ceremony(network, pairing, { digits, advSecret, demand, onKeys })
  pairing.passkey = ceremony
  ceremony.begin()
  return 'passkey'
}
