import { ConfigError } from '../../config.ts'
import type { Clock } from '../../runtime/clock.ts'
import { refusedBy } from '../refusal.ts'
import type { TrialApi } from './trial-api.ts'

const LOOK_MS = 500
const LINK_MS = 300_000

interface Pairing {
  id: string
  status: string
  code?: string
  qr?: string
  session_id?: string
  detail?: string
  error?: string
}

/** Links a number: by a code that its owner types, or, one of the sandbox, by itself. Answers its session. */
export async function linkNumber(
  api: TrialApi,
  clock: Clock,
  phone: string,
  say: (line: string) => void,
): Promise<string> {
  const isSandbox = phone.replace(/\D/g, '').startsWith('999')
  const asked = isSandbox ? { method: 'qr', platform: 'sandbox' } : { method: 'code' }
  const { status, json } = await api.ask('POST', '/v1/pairings', { ...asked, phone })
  if (status !== 201) throw refusedBy('--link: the gateway', { status, json })
  let pairing = json as unknown as Pairing
  let shown: string | undefined
  let isScanned = false
  const endMs = clock.monotonicMs() + LINK_MS
  while (pairing.status !== 'linked') {
    if (['failed', 'expired', 'cancelled'].includes(pairing.status) || clock.monotonicMs() > endMs)
      throw new ConfigError(`--link: the number was not linked (${pairing.error ?? pairing.status}).`)
    const news = pairing.code ?? pairing.detail
    if (!isSandbox && news !== undefined && news !== shown) {
      shown = news
      say(pairing.code === undefined ? news : `On its phone, under linked devices, link with the code ${pairing.code}`)
    }
    if (isSandbox && pairing.qr !== undefined && !isScanned) {
      isScanned = true
      await api.ask('POST', `/sandbox/pairings/${pairing.id}/scan`, { phone })
    }
    await clock.sleep(LOOK_MS)
    pairing = (await api.expect('GET', `/v1/pairings/${pairing.id}`)) as unknown as Pairing
  }
  return pairing.session_id!
}
