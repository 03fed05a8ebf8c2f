import { Agent } from 'node:http'
import { type Answer, ask } from './client.ts'
import { OPERATOR_TOKEN, registerTestSession } from './gateway.ts'
import { type GatewayProcess, hostSessions, startProcess } from './process.ts'
import { openStore, type Place, queryPlace } from './stores.ts'

/** The producer's record of one message: the key of the request, and the answer, if there was one. */
interface Entry {
  key: string
  body: { session_id: string; to: string; text: string }
  /** The id of the first 202; absent if no answer came. */
  messageId?: string
}

export interface KillReport {
  kills: number
  /** Answered 202. */
  acknowledged: number
  /** Requested, but the process died first. */
  unanswered: number
  /** Unanswered, but committed: the retry found them. */
  replayedUnanswered: number
  stored: number
  commands: number
  usage: number
  lost: string[]
  doubled: string[]
  withoutCommand: string[]
  /** Retries that did not repeat the first answer. */
  wrongAnswers: string[]
  /** Stored, but never requested. */
  unexpected: string[]
}

interface Bench {
  place: Place
  key: string
  sessionId: string
  ledger: Entry[]
}

/**
 * Kills the gateway repeatedly while producers send, then retries every request with its key and compares the
 * producer's ledger with the store.
 */
export async function killUnderLoad(
  place: Place,
  options: { kills: number; connections: number; onRound?: (text: string) => void },
): Promise<KillReport> {
  const bench = await prepare(place)
  for (let round = 1; round <= options.kills; round++) {
    const before = bench.ledger.length
    await oneRound(bench, options.connections, round)
    const asked = bench.ledger.slice(before)
    const answered = asked.filter(entry => entry.messageId !== undefined).length
    options.onRound?.(`kill ${round}: ${asked.length} asked, ${answered} answered 202`)
  }
  const unanswered = bench.ledger.filter(entry => entry.messageId === undefined)
  const counts = { unanswered: unanswered.length, acknowledged: bench.ledger.length - unanswered.length }
  const retried = await retryAll(bench)
  return { kills: options.kills, ...counts, ...retried, ...(await audit(bench)) }
}

async function prepare(place: Place): Promise<Bench> {
  const gateway = await startProcess(place)
  const body = { name: 'Load', plan: 'max', accept_tos: true, limits: UNLIMITED }
  const created = await ask(gateway.url, 'POST', '/operator/accounts', {
    key: OPERATOR_TOKEN,
    body,
    agent: new Agent(),
  })
  gateway.kill('SIGTERM')
  await gateway.exited
  const store = await openStore(place)
  const session = await registerTestSession(store, created.json.account.id, true)
  await store.close()
  return { place, key: created.json.api_key.key, sessionId: session.id, ledger: [] }
}

const UNLIMITED = { messages_per_second: null, messages_per_month: null, requests_per_second: null }

async function oneRound(bench: Bench, connections: number, round: number): Promise<void> {
  const gateway = await startProcess(bench.place)
  hostSessions(bench.place)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  // Each kill happens at another point of the work, counted in requests so that the speed of the machine does not
  // matter.
  const target = bench.ledger.length + 150 + ((round * 7919) % 400)
  let killed = false
  const produce = async (producer: number) => {
    for (let n = 0; !killed; n++) {
      const key = `r${round}-p${producer}-${n}`
      const entry: Entry = { key, body: { session_id: bench.sessionId, to: recipientOf(producer), text: key } }
      bench.ledger.push(entry)
      if (bench.ledger.length === target) {
        killed = true
        gateway.kill('SIGKILL')
      }
      const answer = await send(gateway, bench, entry, agent).catch(() => undefined)
      if (answer === undefined) return
      if (answer.status !== 202) {
        gateway.kill('SIGKILL')
        throw new Error(`${answer.status} ${answer.text}`)
      }
      entry.messageId = answer.json.message_id
    }
  }
  const producers = Array.from({ length: connections }, (_, i) => produce(i))
  await Promise.all([...producers, gateway.exited])
  agent.destroy()
}

const recipientOf = (producer: number): string => `1555000${String(1_000 + producer)}`

const send = (gateway: GatewayProcess, bench: Bench, entry: Entry, agent: Agent): Promise<Answer> =>
  ask(gateway.url, 'POST', '/v1/messages', {
    key: bench.key,
    body: entry.body,
    headers: { 'idempotency-key': entry.key },
    agent,
  })

/** Repeats every request, as a careful customer would: an accepted one gets the same answer. */
async function retryAll(bench: Bench): Promise<{ wrongAnswers: string[]; replayedUnanswered: number }> {
  const gateway = await startProcess(bench.place)
  hostSessions(bench.place)
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const wrongAnswers: string[] = []
  let replayedUnanswered = 0
  const waiting = [...bench.ledger]
  const worker = async () => {
    for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
      const answer = await send(gateway, bench, entry, agent)
      const replayed = answer.headers['idempotent-replayed'] === 'true'
      if (entry.messageId === undefined) {
        if (answer.status !== 202) wrongAnswers.push(`${entry.key}: ${answer.status}`)
        else if (replayed) replayedUnanswered++
        entry.messageId = answer.json.message_id
      } else if (answer.status !== 202 || !replayed || answer.json.message_id !== entry.messageId) {
        wrongAnswers.push(`${entry.key}: ${answer.status} ${answer.text}`)
      }
    }
  }
  await Promise.all(Array.from({ length: 64 }, worker))
  agent.destroy()
  gateway.kill('SIGTERM')
  await gateway.exited
  return { wrongAnswers, replayedUnanswered }
}

/** Reads the store directly: every acknowledged message with its one command, and nothing else. */
async function audit(bench: Bench) {
  const store = await openStore(bench.place)
  try {
    const found = await queryPlace<{ messageId: string; requestId: string; accountId: string }>(
      bench.place,
      `select c.id as "messageId", m.request_id as "requestId", m.account_id as "accountId"
       from commands c join messages m on m.id = c.id where c.kind = 'send'`,
    )
    const commandOf = new Map(found.map(command => [command.messageId, command]))
    const requests = new Map<string, number>()
    const messages = await allMessages(store, found[0]!.accountId)
    for (const message of messages) requests.set(message.requestId, (requests.get(message.requestId) ?? 0) + 1)
    const ids = new Set(messages.map(message => message.id))
    const asked = new Set(bench.ledger.map(entry => entry.key))
    const month = new Date().toISOString().slice(0, 7)
    const usage = await store.usage.readUsage({
      accountId: found[0]!.accountId,
      from: `${month}-01`,
      to: `${month}-31`,
    })
    return {
      stored: messages.length,
      commands: found.length,
      usage: usage.reduce((sum, each) => sum + each.accepted, 0),
      lost: bench.ledger.filter(entry => !ids.has(entry.messageId!)).map(entry => entry.key),
      doubled: [...requests].filter(([, count]) => count > 1).map(([key]) => key),
      withoutCommand: bench.ledger
        .filter(entry => commandOf.get(entry.messageId!)?.requestId !== entry.key)
        .map(entry => entry.key),
      unexpected: messages.filter(message => !asked.has(message.requestId)).map(message => message.id),
    }
  } finally {
    await store.close()
  }
}

async function allMessages(store: Awaited<ReturnType<typeof openStore>>, accountId: string) {
  const all: Awaited<ReturnType<typeof store.messages.listMessages>>['data'] = []
  let cursor: string | null = null
  for (;;) {
    const page: Awaited<ReturnType<typeof store.messages.listMessages>> = await store.messages.listMessages({
      accountId,
      sessionIds: null,
      limit: 5_000,
      cursor,
    })
    all.push(...page.data)
    if (page.nextCursor === null) return all
    cursor = page.nextCursor
  }
}
