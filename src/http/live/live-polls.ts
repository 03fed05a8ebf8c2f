import type { Context } from '../../context.ts'
import type { DeliveryEntry } from '../../domain/delivery.ts'
import type { Message } from '../../domain/message.ts'
import type { Store } from '../../store/store.ts'
import type { StoredRequest } from '../../store/api-log/api-log.ts'
import type { StoredPairing } from '../../store/pairings/pairings.ts'
import type { StoredSession } from '../../store/sessions/sessions.ts'
import type { HistoryFilter } from '../../store/deliveries/history.ts'
import { type MessageDetails, readDetails } from '../message-details.ts'
import { SharedPoll } from './shared-poll.ts'

const CHANGES_EVERY_MS = 500
const SESSIONS_EVERY_MS = 1_000
/** Commits overtake each other by less than this; a change that is read twice is sent once. */
const OVERLAP_MS = 5_000
const PAGE = 100
/** More changes than the history has entries, with its dead letters. */
const MAX_PAGES = 20

type PollsDeps = Pick<Context, 'clock' | 'log' | 'seal'> & {
  store: Pick<Store, 'apiLog' | 'commands' | 'deliveries' | 'messages' | 'now' | 'pairings' | 'sessions' | 'signals'>
}

interface Since {
  /** The database's time of the read: the next read begins there. */
  readAtMs: number
}

export interface AccountChanges extends Since {
  /** Oldest first, like the other lists. */
  deliveries: DeliveryEntry[]
  messages: Message[]
  details: MessageDetails
  pairings: StoredPairing[]
  requests: StoredRequest[]
}

export interface HistoryChanges extends Since {
  entries: DeliveryEntry[]
}

/** The data that the event streams of this process follow, read once for all of them. */
export class LivePolls {
  readonly #deps: PollsDeps
  /** By account. */
  readonly changes: SharedPoll<AccountChanges>
  readonly sessions: SharedPoll<StoredSession[]>
  readonly #history: SharedPoll<HistoryChanges>

  constructor(deps: PollsDeps) {
    this.#deps = deps
    this.changes = new SharedPoll(deps, {
      everyMs: CHANGES_EVERY_MS,
      topics: ['pairings'],
      read: (accountId, before) => this.#readChanges(accountId, before),
    })
    this.sessions = new SharedPoll(deps, {
      everyMs: SESSIONS_EVERY_MS,
      topics: ['sessions', 'hosts'],
      read: accountId => this.#readSessions(accountId),
    })
    this.#history = new SharedPoll(deps, {
      everyMs: CHANGES_EVERY_MS,
      topics: [],
      read: (filter, before) => this.#readHistory(JSON.parse(filter) as HistoryFilter, before),
    })
  }

  async followHistory(
    filter: HistoryFilter,
    onChanges: (changes: HistoryChanges) => void,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#history.follow(JSON.stringify(filter), onChanges, signal)
  }

  async #readChanges(accountId: string, before: Since | undefined): Promise<AccountChanges> {
    const { store } = this.#deps
    const { readAtMs, sinceMs } = await this.#since(before)
    const all = { accountId, sessionIds: null, changedSinceMs: sinceMs, limit: 500, cursor: null }
    const [deliveries, changed, pairings, requests] = await Promise.all([
      store.deliveries.listDeliveries(all),
      store.messages.listChangedMessages({ accountId, sinceMs }),
      store.pairings.listChangedPairings({ accountId, sinceMs }),
      store.apiLog.listApiLog({ accountId, sinceMs, limit: PAGE, cursor: null }),
    ])
    return {
      readAtMs,
      deliveries: deliveries.data.reverse(),
      messages: changed,
      details: await readDetails(this.#deps, changed),
      pairings,
      requests: requests.data.reverse(),
    }
  }

  async #readSessions(accountId: string): Promise<StoredSession[]> {
    const page = { accountId, sessionIds: null, limit: 200, cursor: null }
    return (await this.#deps.store.sessions.listSessions(page)).data
  }

  async #readHistory(filter: HistoryFilter, before: Since | undefined): Promise<HistoryChanges> {
    const { readAtMs, sinceMs } = await this.#since(before)
    const entries: DeliveryEntry[] = []
    for (let cursor: string | null = null, page = 0; page < MAX_PAGES; page++) {
      const request = { ...filter, changedSinceMs: sinceMs, limit: PAGE, cursor }
      const { data, nextCursor } = await this.#deps.store.deliveries.listDeliveries(request)
      entries.push(...data)
      if (nextCursor === null) break
      cursor = data.at(-1)!.id
    }
    return { readAtMs, entries: entries.reverse() }
  }

  async #since(before: Since | undefined): Promise<Since & { sinceMs: number }> {
    const readAtMs = await this.#deps.store.now()
    return { readAtMs, sinceMs: (before?.readAtMs ?? readAtMs) - OVERLAP_MS }
  }
}
