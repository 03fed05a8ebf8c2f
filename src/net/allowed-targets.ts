import type { Clock } from '../runtime/clock.ts'
import { ExpiringMap } from '../runtime/expiring-map.ts'
import type { TargetPolicy } from './address-guard.ts'
import { checkUrl } from './target-url.ts'

const MAX_KNOWN = 10_000
/** Other nodes' endpoints and the machine's addresses change; changes of this process's own endpoints take effect at once. */
const KNOWN_MS = 1_000

/** Where the requests of an allowed URL go. The parts of a `URL` are made anew each time that they are read. */
interface Target {
  readonly origin: string
  readonly path: string
}

/** Caches the targets of URLs with many requests: a check costs as much as a fifth of the request. */
export class AllowedTargets {
  readonly #policy: TargetPolicy
  readonly #known: ExpiringMap<Target | null>
  #ownEndpoints: ReturnType<TargetPolicy['ownEndpoints']>

  constructor(policy: TargetPolicy, clock: Pick<Clock, 'monotonicMs'>) {
    this.#policy = policy
    this.#known = new ExpiringMap(MAX_KNOWN, { ms: KNOWN_MS, clock })
    this.#ownEndpoints = policy.ownEndpoints()
  }

  /** `null` if the URL is not allowed. */
  targetOf(url: string): Target | null {
    const ownEndpoints = this.#policy.ownEndpoints()
    if (ownEndpoints !== this.#ownEndpoints) this.#known.clear()
    this.#ownEndpoints = ownEndpoints
    const known = this.#known.get(url)
    if (known !== undefined) return known
    const verdict = checkUrl(url, this.#policy)
    const target = verdict.ok ? { origin: verdict.url.origin, path: verdict.url.pathname + verdict.url.search } : null
    this.#known.set(url, target)
    return target
  }
}
