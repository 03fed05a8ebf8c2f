import { randomInt } from 'node:crypto'
import type { Context } from '../context.ts'
import { limitsOf, maxNumbers } from '../domain/account.ts'
import { BOUNDS } from '../domain/bounds.ts'
import { invalid, missing, tooManyNumbers, tooManyPairings } from '../domain/errors.ts'
import { makeId } from '../domain/ids.ts'
import { phoneJid } from '../domain/jid.ts'
import { isOver } from '../domain/pairing.ts'
import type { Proxy } from '../domain/proxy.ts'
import { aboutPairingProxy, aboutProxy } from '../domain/sealed.ts'
import { type PlatformName, SANDBOX_PREFIX } from '../domain/session.ts'
import type { Store } from '../store/store.ts'
import type { StoredPairing } from '../store/pairings/pairings.ts'
import { PolledSignal } from '../store/polled-signal.ts'
import { requireFree } from './scan-pairing.ts'

type Deps = Pick<Context, 'config' | 'seal'> & { store: Pick<Store, 'accounts' | 'pairings' | 'sessions'> }

export interface PairRequest {
  accountId: string
  method: 'qr' | 'code'
  /** Digits; needed for a code. */
  phone: string | null
  label: string
  platform: PlatformName
  /** The number is linked through it, and keeps it. */
  proxy?: Proxy | null
  /** Whether the history that the phone sends after linking becomes events. */
  history?: boolean
}

/** How long a phone has to accept. A typed code is valid for three minutes, and WhatsApp may make the caller wait for one. */
const TIMEOUT_MS = { qr: 180_000, code: 600_000 }
const POLL_MS = 250

/** Begins to link a number. A worker shows the code; `watchPairing` follows it. */
export async function startPairing(
  deps: Deps,
  request: PairRequest,
  maxOpen: number = BOUNDS.openPairings,
): Promise<StoredPairing> {
  const { accountId, method, label, platform } = request
  if (method === 'code' && request.phone === null && platform !== 'sandbox')
    throw missing('phone is required with method code', 'phone')
  if (platform === 'sandbox') await requireSandbox(deps, request)
  else await requireRoom(deps, accountId, platform)
  const id = makeId('pair')
  const phone = platform === 'sandbox' ? (request.phone ?? makeSandboxPhone()) : request.phone
  const proxy = request.proxy ?? (await keptProxy(deps, accountId, phone))
  const created = await deps.store.pairings.createPairing({
    id,
    accountId,
    platform,
    method,
    phone,
    label,
    proxy: proxy && deps.seal.sealJson(proxy, aboutPairingProxy(id)),
    historyJob: request.history ? makeId('job') : null,
    timeoutMs: TIMEOUT_MS[method],
    maxOpen,
  })
  if (created.kind === 'crowded') throw tooManyPairings(maxOpen, created.retryAfterMs)
  return created.pairing
}

/** The proxy of a number that is linked again: it must not be linked without it. */
async function keptProxy({ store, seal }: Deps, accountId: string, phone: string | null): Promise<Proxy | null> {
  const session = phone === null ? undefined : await store.sessions.getSession(phoneJid(phone))
  if (session === undefined || session.accountId !== accountId || session.proxy === null) return null
  return seal.openJson<Proxy>(session.proxy, aboutProxy(session.id))
}

/** A completed pairing moves a number to its account, so a sandbox number of another account is rejected here. */
async function requireSandbox(
  { config, store }: Deps,
  { phone, accountId }: Pick<PairRequest, 'phone' | 'accountId'>,
): Promise<void> {
  if (!config.sandbox) throw invalid('platform: the sandbox is off here (POSTERN_SANDBOX)', 'platform')
  if (phone !== null && !phone.startsWith(SANDBOX_PREFIX))
    throw invalid(`phone of a sandbox number must begin with ${SANDBOX_PREFIX}`, 'phone')
  const isOurs = phone !== null && (await requireFree(store, phone, accountId)) === 'ours'
  if (!isOurs) await requireRoom({ store }, accountId, 'sandbox')
}

/** Rejects early, before a person takes out a phone; the pairing's completion enforces the limit. */
async function requireRoom({ store }: Pick<Deps, 'store'>, accountId: string, platform: PlatformName): Promise<void> {
  const account = await store.accounts.getAccount(accountId)
  const limit = account === undefined ? 0 : maxNumbers(limitsOf(account), platform)
  if (limit === null || (await store.sessions.countNumbers({ accountId, platform })) < limit) return
  throw tooManyNumbers(platform, limit)
}

const makeSandboxPhone = (): string => `${SANDBOX_PREFIX}${String(randomInt(10 ** 9)).padStart(9, '0')}`

/** Yields the present state and each change of a pairing; ends when the pairing is over. */
export async function* watchPairing(
  deps: Pick<Context, 'clock'> & { store: Pick<Store, 'pairings' | 'sessions' | 'signals'> },
  id: string,
  signal: AbortSignal,
): AsyncGenerator<StoredPairing> {
  const wakeUp = new PolledSignal(deps, ['pairings'], { only: ({ pairingId }) => pairingId === id })
  let shown = ''
  try {
    while (!signal.aborted) {
      const pairing = await deps.store.pairings.getPairing(id)
      if (pairing === undefined) return
      const now = `${pairing.status} ${pairing.updatedAt} ${pairing.stepExpiresAt}`
      if (now !== shown) yield pairing
      shown = now
      if (isOver(pairing.status)) return
      await wakeUp.sleep(POLL_MS, signal)
    }
  } finally {
    wakeUp.stop()
  }
}
