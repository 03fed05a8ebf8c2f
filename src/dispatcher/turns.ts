import type { DueDelivery } from '../store/units/deliveries.ts'
import { type Breaker, newBreaker } from './breaker.ts'
import { isBefore, type Lane } from './lane.ts'

/** One URL of one webhook. Categories that share the URL share its limit and its order. */
export interface Endpoint {
  readonly key: string
  readonly account: AccountTurn
  readonly lanes: Set<Lane>
  readonly breaker: Breaker
  inFlight: number
  /** Whether it stands in its account's ring. */
  listed: boolean
  /** Resolves when the request before is on its way: requests of an endpoint start in order. */
  lastStarted: Promise<void>
  usedAt: number
}

interface AccountTurn {
  readonly id: string
  readonly ready: Endpoint[]
  endpoints: number
  inFlight: number
  bytes: number
  listed: boolean
}

export interface Turn {
  readonly endpoint: Endpoint
  readonly lane: Lane
  readonly delivery: DueDelivery
}

export interface TurnLimits {
  inFlight: number
  perAccount: number
  /** Payload bytes held in memory at once, of all and of one account; a single larger one may still go alone. */
  bytes: number
  bytesPerAccount: number
}

const FORGET_FAILING_AFTER_MS = 3_600_000

/** Decides whose delivery is next: accounts in turn, within an account its endpoints in turn, each within its limits. */
export function createTurns(limits: TurnLimits) {
  const endpoints = new Map<string, Endpoint>()
  const accounts = new Map<string, AccountTurn>()
  const ring: AccountTurn[] = []
  let inFlight = 0
  let bytes = 0

  function endpointOf(accountId: string, webhookId: string, url: string): Endpoint {
    const key = `${webhookId} ${url}`
    let endpoint = endpoints.get(key)
    if (endpoint === undefined) {
      endpoint = {
        key,
        account: accountOf(accountId),
        lanes: new Set(),
        breaker: newBreaker(),
        inFlight: 0,
        listed: false,
        lastStarted: Promise.resolve(),
        usedAt: performance.now(),
      }
      endpoint.account.endpoints++
      endpoints.set(key, endpoint)
    }
    return endpoint
  }

  function accountOf(id: string): AccountTurn {
    let account = accounts.get(id)
    if (account === undefined) {
      account = { id, ready: [], endpoints: 0, inFlight: 0, bytes: 0, listed: false }
      accounts.set(id, account)
    }
    return account
  }

  /** Says that the endpoint may have something to start. */
  function offer(endpoint: Endpoint): void {
    if (!endpoint.listed && endpoint.inFlight < endpoint.breaker.limit && headLane(endpoint) !== undefined) {
      endpoint.listed = true
      endpoint.account.ready.push(endpoint)
    }
    offerAccount(endpoint.account)
  }

  function offerAccount(account: AccountTurn): void {
    if (account.listed || account.ready.length === 0 || account.inFlight >= limits.perAccount) return
    account.listed = true
    ring.push(account)
  }

  const fits = (account: AccountTurn, size: number): boolean =>
    (bytes === 0 || bytes + size <= limits.bytes) &&
    (account.bytes === 0 || account.bytes + size <= limits.bytesPerAccount)

  function next(): Turn | undefined {
    for (let tooLarge = 0; tooLarge < ring.length && inFlight < limits.inFlight; ) {
      const account = ring.shift()!
      const endpoint = account.ready[0]
      const lane = endpoint === undefined ? undefined : headLane(endpoint)
      const startable = endpoint !== undefined && lane !== undefined && endpoint.inFlight < endpoint.breaker.limit
      const size = lane?.queue[0]?.bytes ?? 0
      if (startable && !fits(account, size)) {
        // What is large waits for room; whoever has less to send goes before it.
        ring.push(account)
        tooLarge++
        continue
      }
      account.listed = false
      if (endpoint !== undefined) {
        account.ready.shift()
        endpoint.listed = false
      }
      if (!startable) {
        offerAccount(account)
        continue
      }
      const delivery = lane.queue.shift()!
      inFlight++
      bytes += size
      account.bytes += size
      account.inFlight++
      endpoint.inFlight++
      endpoint.usedAt = performance.now()
      offer(endpoint)
      return { endpoint, lane, delivery }
    }
    return undefined
  }

  /** The endpoint has answered: it may get its next request. */
  function answered(endpoint: Endpoint): void {
    endpoint.inFlight--
    offer(endpoint)
  }

  /** What came of it is durable: its share and its memory are free. */
  function settled({ endpoint, delivery }: Turn): void {
    inFlight--
    bytes -= delivery.bytes ?? 0
    endpoint.account.bytes -= delivery.bytes ?? 0
    endpoint.account.inFlight--
    offerAccount(endpoint.account)
  }

  /** Drops endpoints that nothing stands at; a failing one is remembered for a while. */
  function forgetIdle(): void {
    const longAgo = performance.now() - FORGET_FAILING_AFTER_MS
    for (const [key, endpoint] of endpoints) {
      const idle = endpoint.lanes.size === 0 && endpoint.inFlight === 0 && !endpoint.listed
      if (!idle || (endpoint.breaker.failures > 0 && endpoint.usedAt > longAgo)) continue
      endpoints.delete(key)
      if (--endpoint.account.endpoints === 0) accounts.delete(endpoint.account.id)
    }
  }

  return { endpointOf, offer, next, answered, settled, forgetIdle, inFlight: () => inFlight }
}

export type Turns = ReturnType<typeof createTurns>

/** The lane whose first delivery is due longest. */
function headLane(endpoint: Endpoint): Lane | undefined {
  let head: Lane | undefined
  for (const lane of endpoint.lanes) {
    const first = lane.queue[0]
    if (first !== undefined && (head === undefined || isBefore(first, head.queue[0]!))) head = lane
  }
  return head
}
