import type { NewPairing } from '#sdk'
import type { Clock } from './event-history.ts'
import { type TrialApi, TrialError } from './trial-api.ts'

const POLL_MS = 500
const LINK_MS = 300_000

interface PairingState {
  id: string
  status: string
  code?: string
  qr?: string
  session_id?: string
  detail?: string
  error?: string
}

/** Links a number and returns its session. Its owner types a code; a sandbox number links automatically. */
export async function linkNumber(
  api: TrialApi,
  clock: Clock,
  phone: string,
  print: (line: string) => void,
): Promise<string> {
  const isSandbox = phone.replace(/\D/g, '').startsWith('999')
  const body = { ...(isSandbox ? { method: 'qr', platform: 'sandbox' } : { method: 'code' }), phone } as NewPairing
  let pairing = (await api.need('--link', client => client.pairings.create(body))) as PairingState
  let shown: string | undefined
  let isScanned = false
  const endMs = clock.monotonicMs() + LINK_MS
  while (pairing.status !== 'linked') {
    if (['failed', 'expired', 'cancelled'].includes(pairing.status) || clock.monotonicMs() > endMs)
      throw new TrialError(`--link: the number was not linked (${pairing.error ?? pairing.status}).`)
    const change = pairing.code ?? pairing.detail
    if (!isSandbox && change !== undefined && change !== shown) {
      shown = change
      print(
        pairing.code === undefined ? change : `On its phone, under linked devices, link with the code ${pairing.code}`,
      )
    }
    const { id } = pairing
    if (isSandbox && pairing.qr !== undefined && !isScanned) {
      isScanned = true
      // A scan that is rejected shows in the status of the pairing.
      await api.expect(client => client.sandbox.scan(id)).catch(() => {})
    }
    await clock.sleep(POLL_MS)
    pairing = (await api.expect(client => client.pairings.get(id))) as PairingState
  }
  return pairing.session_id!
}
