import { systemClock } from './clock.ts'
import { Judgements } from './grammar/judgements.ts'
import { type Entries, type Journal, loadEntries, SavingJournal, VolatileJournal } from './journal.ts'
import { MediaStore } from './media/media-store.ts'
import { type Certificate, createAuthority } from './media/x509.ts'
import type { SimulatorOptions } from './options.ts'
import { restore } from './restore.ts'
import { DistinctTimes, Sequence } from './sequence.ts'
import { Faults } from './server/fault-plan.ts'
import { Versions } from './server/versions.ts'
import { MemoryBudget } from './memory-budget.ts'
import { Timers, Watchers } from './waiting.ts'
import { createServerKeys, type ServerKeys } from './wire/certificate.ts'
import type { Network, Timing } from './world/network.ts'
import { RetryRequests } from './world/retry-requests.ts'
import { UnreadMessages } from './world/unread.ts'

const DEFAULT_TIMING: Timing = {
  ackDelayMs: 0,
  receiptDelayMs: 0,
  readDelayMs: 1000,
  liveUpdatesMs: 300_000,
  secretRefreshMs: 20_000,
  confirmMs: 120_000,
}
const DEFAULTS = { heldMessages: 1000, heldBytes: 128 * 1024 * 1024, maxContacts: 20_000 }

export interface World {
  readonly network: Network
  /** Signs the certificate of the media server. */
  readonly authority: Certificate
  readonly watchers: Watchers
  readonly timers: Timers
}

/** Everything behind the sockets: what was saved, or a new and empty world. */
export async function openWorld(options: SimulatorOptions): Promise<World> {
  const { storage, clock = systemClock } = options
  const entries: Entries = storage ? await loadEntries(storage) : new Map()
  const journal = openJournal(options)
  const timers = new Timers()
  const watchers = new Watchers()
  const network: Network = {
    keys: saved<ServerKeys>(entries, journal, 'server', () => options.serverKeys ?? createServerKeys()),
    users: new Map(),
    digitsByLid: new Map(),
    groups: new Map(),
    channels: new Map(),
    orders: new Map(),
    pairings: new Set(),
    journal,
    faults: new Faults(),
    judgements: new Judgements(shape =>
      options.logger?.warn({ shape }, 'a stanza differs from those of the web client'),
    ),
    unread: new UnreadMessages(),
    retries: new RetryRequests(),
    media: new MediaStore(journal, options.largeFiles),
    versions: new Versions(),
    clock,
    sequence: new Sequence(),
    messageTimes: new DistinctTimes(),
    timing: { ...DEFAULT_TIMING, ...options.timing },
    logger: options.logger,
    heldMessages: options.heldMessages ?? DEFAULTS.heldMessages,
    memory: new MemoryBudget(options.heldBytes ?? DEFAULTS.heldBytes),
    maxContacts: options.maxContacts ?? DEFAULTS.maxContacts,
    historySync: options.historySync ?? true,
    changed: () => watchers.changed(),
    later: (delayMs, task) => timers.later(delayMs, task),
  }
  const authority = saved<Certificate>(entries, journal, 'authority', () => createAuthority(clock))
  restore(network, entries)
  await journal.saved()
  return { network, authority, watchers, timers }
}

function openJournal({ storage, logger }: SimulatorOptions): Journal {
  if (storage === undefined) return new VolatileJournal()
  return new SavingJournal(storage, error => logger?.warn({ reason: String(error) }, 'state could not be saved'))
}

function saved<T>(entries: Entries, journal: Journal, key: string, create: () => T): T {
  const known = entries.get(key) as T | undefined
  if (known !== undefined) return known
  const made = create()
  journal.put(key, () => made)
  return made
}
