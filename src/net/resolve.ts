import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import type { Clock } from '../runtime/clock.ts'
import { withoutFinalDot } from './address-guard.ts'
import { failed, TargetError, timedOut } from './failure.ts'

/** The part of a DNS client that is used; `node:dns/promises` Resolver is one. */
export interface NameResolver {
  resolve4(hostname: string): Promise<string[]>
  resolve6(hostname: string): Promise<string[]>
}

/** All addresses of a name, IPv4 first. Rejects with TargetError and nothing else. */
export type Lookup = (hostname: string) => Promise<string[]>

export interface LookupOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly budgetMs: number
  readonly resolver?: NameResolver
}

// Some servers never answer AAAA queries; waiting for them must not cost an IPv4 host its deadline.
const SECOND_FAMILY_WAIT_MS = 300
const HOSTS_FILE = '/etc/hosts'
// Lets changes of the hosts file take effect without a restart.
const HOSTS_FILE_TTL_MS = 30_000

export function createLookup(options: LookupOptions): Lookup {
  // c-ares, because dns.lookup shares four threads with the file system, and one dead name server would block them all.
  const resolver = options.resolver ?? new Resolver({ timeout: 1500, tries: 3 })
  const hosts = new HostsFile(options.clock)
  const underway = new Map<string, Promise<string[]>>()

  return hostname => {
    const name = withoutFinalDot(hostname).toLowerCase()
    let lookup = underway.get(name)
    if (!lookup) {
      lookup = addressesOf(name).finally(() => underway.delete(name))
      underway.set(name, lookup)
    }
    return lookup
  }

  async function addressesOf(name: string): Promise<string[]> {
    const local = (await hosts.names()).get(name)
    if (local) return local
    // RFC 6761: localhost is the loopback address, whatever a name server returns.
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1']
    return await queryBoth(resolver, name, options.budgetMs)
  }
}

async function queryBoth(resolver: NameResolver, name: string, budgetMs: number): Promise<string[]> {
  const timers = createTimers()
  const budget = timers.after(budgetMs, 'spent' as const)
  const second = resolver.resolve6(name).catch(() => [])
  try {
    const first = await Promise.race([resolver.resolve4(name).catch(() => []), budget])
    const patience =
      first === 'spent' || first.length === 0 ? budget : timers.after(SECOND_FAMILY_WAIT_MS, 'spent' as const)
    const other = await Promise.race([second, patience])
    const addresses = [first, other].flatMap(answer => (answer === 'spent' ? [] : answer))
    if (addresses.length > 0) return addresses
    throw new TargetError(other === 'spent' ? timedOut('dns') : failed('dns'))
  } finally {
    timers.clear()
  }
}

function createTimers() {
  const running = new Set<NodeJS.Timeout>()
  return {
    after<T>(ms: number, value: T): Promise<T> {
      return new Promise(resolve => running.add(setTimeout(() => resolve(value), ms)))
    },
    clear() {
      for (const timer of running) clearTimeout(timer)
    },
  }
}

class HostsFile {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  #names: Promise<ReadonlyMap<string, string[]>> | undefined
  #readAtMs = Number.NEGATIVE_INFINITY

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  names(): Promise<ReadonlyMap<string, string[]>> {
    const nowMs = this.#clock.monotonicMs()
    if (!this.#names || nowMs - this.#readAtMs > HOSTS_FILE_TTL_MS) {
      this.#readAtMs = nowMs
      this.#names = readFile(HOSTS_FILE, 'utf8').then(parseHosts, () => new Map())
    }
    return this.#names
  }
}

function parseHosts(text: string): ReadonlyMap<string, string[]> {
  const names = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...aliases] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const alias of aliases) {
      const known = names.get(alias.toLowerCase()) ?? []
      names.set(alias.toLowerCase(), isIP(address) === 4 ? [address, ...known] : [...known, address])
    }
  }
  return names
}
