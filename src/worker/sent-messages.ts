import { mayFollow } from '../domain/message.ts'
import { ExpiringMap } from '../runtime/expiring-map.ts'
import type { ProgressStep } from '../store/messages/progress-steps.ts'
import type { SentMessage } from '../store/messages/sent-messages.ts'
import type { Store } from '../store/store.ts'
import type { HostDeps } from './deps.ts'

const REMEMBERED = 4_096

const nameOf = (sessionId: string, platformId: string): string => `${sessionId}\n${platformId}`

type SentMessagesDeps = Pick<HostDeps, 'platformIds'> & { store: Pick<Store, 'messages'> }

/**
 * Finds the sent messages that receipts are about. The last ones of a host are in memory. Their state there may be behind the
 * stored one: the store skips the steps that it knows.
 */
export class SentMessages {
  readonly #deps: SentMessagesDeps
  readonly #recent = new ExpiringMap<SentMessage>(REMEMBERED)

  constructor(deps: SentMessagesDeps) {
    this.#deps = deps
  }

  /** The message is about to have this state, or has it. */
  remember(sessionId: string, message: SentMessage): void {
    this.#recent.set(nameOf(sessionId, message.platformId), message)
  }

  inMemory(sessionId: string, platformId: string): SentMessage | undefined {
    return this.#recent.get(nameOf(sessionId, platformId))
  }

  /** The messages of the number with these platform ids, by platform id. */
  async find(sessionId: string, platformIds: Iterable<string>): Promise<Map<string, SentMessage>> {
    const found = new Map<string, SentMessage>()
    const missing: string[] = []
    for (const id of new Set(platformIds)) {
      const known = this.inMemory(sessionId, id)
      if (known === undefined) missing.push(id)
      else found.set(id, known)
    }
    if (missing.length === 0) return found
    const { store, platformIds: ids } = this.#deps
    for (const message of await store.messages.readSentMessages({ sessionId, sent: ids.sentIds(missing) }))
      found.set(message.platformId, message)
    return found
  }
}

/** These steps of the messages are stored. */
export function advanceAll(
  messages: Iterable<SentMessage>,
  steps: readonly Pick<ProgressStep, 'messageId' | 'state'>[],
): void {
  const byId = new Map([...messages].map(message => [message.id, message]))
  for (const { messageId, state } of steps) {
    const message = byId.get(messageId)
    if (message !== undefined && mayFollow(message.state, state)) message.state = state
  }
}
