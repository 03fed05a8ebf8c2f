import type { Clock } from '../runtime/clock.ts'
import { ExpiringMap } from '../runtime/expiring-map.ts'
import type { TargetPolicy } from './address-guard.ts'
import { checkUrl, type UrlVerdict } from './target-url.ts'

const MAX_KNOWN = 10_000
/** Other nodes' endpoints and the machine's addresses change; changes of this process's own endpoints take effect at once. */
const KNOWN_MS = 1_000

/** Caches the verdicts on URLs with many requests: a check costs as much as a fifth of the request. */
export class UrlVerdicts {
  readonly #policy: TargetPolicy
  readonly #known: ExpiringMap<UrlVerdict>
  #ownEndpoints: ReturnType<TargetPolicy['ownEndpoints']>

  constructor(policy: TargetPolicy, clock: Pick<Clock, 'monotonicMs'>) {
    this.#policy = policy
    this.#known = new ExpiringMap(MAX_KNOWN, { ms: KNOWN_MS, clock })
    this.#ownEndpoints = policy.ownEndpoints()
  }

  of(url: string): UrlVerdict {
    const ownEndpoints = this.#policy.ownEndpoints()
    if (ownEndpoints !== this.#ownEndpoints) this.#known.clear()
    this.#ownEndpoints = ownEndpoints
    const known = this.#known.get(url)
    if (known !== undefined) return known
    const verdict = checkUrl(url, this.#policy)
    this.#known.set(url, verdict)
    return verdict
  }
}
