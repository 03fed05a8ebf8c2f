import type { StoredEvent } from './kill-sandbox.ts'
import { expectStatus, type LinkedGateway } from './linked-gateway.ts'
import { type Received, startReceiver } from './receiver.ts'
import { until } from './until.ts'

/** Endpoints of every sort, of all numbers of a gateway. */
export interface EveryEndpoint {
  /** Forgets what they have got. */
  forget(): void
  /** Compares what each has got with what it should have got, when they have got it. */
  audit(published: StoredEvent[]): Promise<Record<string, Compared>>
  close(): Promise<void>
}

interface Compared {
  lost: string[]
  unexpected: string[]
}

export const NOTHING_MISSING = { lost: [], unexpected: [] }

/** The event that a request has: only the headers of webhooks have the id by which a receiver removes duplicates. */
const idOf = ({ headers, id }: Received): string => String(headers['webhook-id'] ?? id)

export async function addEveryEndpoint({
  ask,
  numbers,
}: Pick<LinkedGateway, 'ask' | 'numbers'>): Promise<EveryEndpoint> {
  const receiver = await startReceiver()
  const first = numbers[0]!
  const sorts: Record<string, object> = {
    eager: {},
    ladder: { retry: 'ladder' },
    standard: { signature: 'standard' },
    filtered: { kinds: ['message'], direction: 'in', session_ids: [first.jid] },
  }
  for (const [sort, settings] of Object.entries(sorts))
    await expectStatus(201, ask('POST', '/v1/endpoints', { url: receiver.url(`/${sort}`), ...settings }))
  const { id } = (await expectStatus(201, ask('POST', '/v1/endpoints', { type: 'pull' }))).json
  let cursor = '0'
  let pulled: string[] = []

  const readPulled = async (): Promise<string[]> => {
    for (;;) {
      const { json } = await expectStatus(200, ask('GET', `/v1/endpoints/${id}/events?after=${cursor}`))
      if (json.missed > 0) throw new Error(`the endpoint that is read has missed ${json.missed} events`)
      if (json.data.length === 0) return pulled
      pulled.push(...json.data.map((event: { event_id: string }) => event.event_id))
      cursor = json.cursor
    }
  }

  const compare = (sort: string, published: StoredEvent[]): Compared => {
    const wanted = published.filter(
      ({ kind, sessionId }) => sort !== 'filtered' || (kind === 'message' && sessionId === first.jid),
    )
    const nameOf = ({ id: eventId, dedupeId }: StoredEvent) => (sort === 'standard' ? eventId : dedupeId)
    const got = new Set(receiver.ledger.filter(({ path }) => path === `/${sort}`).map(idOf))
    const names = new Set(wanted.map(nameOf))
    return {
      lost: [...names].filter(name => !got.has(name)),
      unexpected: [...got].filter(name => !names.has(name)),
    }
  }

  /** What is read has each event once, in the order in which they were stored. */
  const comparePulled = (read: string[], published: StoredEvent[]): Compared => {
    const wanted = published.map(event => event.id)
    const isSame = JSON.stringify(read) === JSON.stringify(wanted)
    return isSame ? NOTHING_MISSING : { lost: wanted.filter(each => !read.includes(each)), unexpected: read }
  }

  return {
    forget: () => {
      receiver.ledger.length = 0
      pulled = []
    },
    audit: async published => {
      await until(() => Object.keys(sorts).every(sort => compare(sort, published).lost.length === 0)).catch(() => {})
      const read = await readPulled()
      const pushed = Object.keys(sorts).map(sort => [sort, compare(sort, published)])
      return { ...Object.fromEntries(pushed), pull: comparePulled(read, published) }
    },
    close: () => receiver.close(),
  }
}
