import { setTimeout as pause } from 'node:timers/promises'
import { textOfMessage } from '@postern/simulator/phone/message-text'
import type { Unread } from '@postern/simulator/world/unread'
import type { KillSandbox } from './kill-sandbox.ts'
import type { SandboxNumber } from './linked-gateway.ts'
import { until } from './until.ts'

export interface OutgoingOptions {
  messages: number
  kills: number
  recipients: number
  /** The network's delay of an ack. */
  ackDelayMs: number
  onKill?: (text: string) => void
}

export interface OutgoingReport {
  accepted: number
  kills: number
  /** Messages on phones, each counted once. */
  distinct: number
  /** How many messages arrived in one frame, in two, and so on. */
  framesPerId: Record<number, number>
  repeats: number
  /** At each kill: messages that had left while their ack was not durable. */
  awaitingAck: number[]
  /** Messages that were repeated more often than a kill caught them awaiting their ack. */
  needlesslyRepeated: string[]
  lost: string[]
  doubled: string[]
  outOfOrder: string[]
  /** Devices that did not receive a message, or could not read it and did not get it again. */
  unread: Unread[]
  /** Accepted messages that were not published as `sent` exactly once. */
  notPublishedOnce: string[]
  /** Responses that differ from the first one of the same key. */
  wrongAnswers: string[]
}

/** A producer: a customer that writes to one contact, each message after the last was accepted. */
interface Conversation {
  number: SandboxNumber
  contact: string
  /** Ids of accepted messages, in order. */
  accepted: string[]
}

/** Sends messages over HTTP and kills the gateway repeatedly meanwhile; then compares with the phones. */
export async function sendThroughKills(sandbox: KillSandbox, options: OutgoingOptions): Promise<OutgoingReport> {
  const conversations = sandbox.numbers.flatMap(number =>
    Array.from({ length: options.recipients }, (_, i): Conversation => {
      return { number, contact: `1555200${String(1_000 + i)}`, accepted: [] }
    }),
  )
  const each = Math.ceil(options.messages / conversations.length)
  const wrongAnswers: string[] = []
  const producing = Promise.all(conversations.map(conversation => produce(sandbox, conversation, each, wrongAnswers)))
  const awaiting = await killAgainAndAgain(sandbox, conversations, each * conversations.length, options)
  await producing
  const isIdle = () => sandbox.query("select 1 from commands where kind = 'send' limit 1").length === 0
  await until(() => isIdle() && sandbox.unacknowledged() === 0).catch(() => {})
  // A device that requests a message again receives it shortly afterwards.
  await until(() => sandbox.simulator.unread().length === 0).catch(() => {})
  return { kills: options.kills, wrongAnswers, ...audit(sandbox, conversations, awaiting) }
}

const keyOf = ({ number, contact }: Conversation, n: number): string => `${number.phone}-${contact}-${n}`

async function produce(
  sandbox: KillSandbox,
  conversation: Conversation,
  count: number,
  wrongAnswers: string[],
): Promise<void> {
  const { number, contact, accepted } = conversation
  for (let n = 0; n < count; n++) {
    const key = keyOf(conversation, n)
    const post = () =>
      sandbox
        .ask('POST', '/v1/messages', { session_id: number.id, to: contact, text: key }, { 'idempotency-key': key })
        .catch(() => undefined)
    let answer = await post()
    // No response: repeats the same request, as a careful customer does.
    for (; answer === undefined || answer.status >= 500; answer = await post()) await pause(20)
    if (answer.status === 202) accepted.push(answer.json.message_id)
    else wrongAnswers.push(`${key}: ${answer.status} ${answer.text}`)
  }
}

/** Kills at a random moment of each part of the work; returns, for each kill, the platform ids that awaited an ack. */
async function killAgainAndAgain(
  sandbox: KillSandbox,
  conversations: Conversation[],
  total: number,
  { kills, ackDelayMs, onKill }: OutgoingOptions,
): Promise<string[][]> {
  const awaiting: string[][] = []
  for (let kill = 0; kill < kills; kill++) {
    const killAfter = Math.floor(((kill + Math.random() * 0.9) / kills) * total)
    await until(() => arrived(sandbox, conversations).length > killAfter)
    await pause(Math.random() * 10)
    await sandbox.kill()
    // Messages that the network has accepted still reach the phones.
    await pause(ackDelayMs + 50)
    const caught = awaitingAck(sandbox, conversations)
    awaiting.push(caught)
    onKill?.(`kill ${kill + 1}: ${arrived(sandbox, conversations).length} arrived, ${caught.length} awaited their ack`)
    await sandbox.start()
  }
  return awaiting
}

const arrived = ({ simulator }: KillSandbox, conversations: Conversation[]) =>
  conversations.flatMap(({ number, contact }) => simulator.phone(contact).inbox(number.phone))

/** Messages that are on the phones while the store does not know that they were sent. */
function awaitingAck(sandbox: KillSandbox, conversations: Conversation[]): string[] {
  const rows = sandbox.query<{ id: string }>(
    "select m.platform_id as id from commands c join messages m on m.id = c.message_id where c.kind = 'send'",
  )
  const unfinished = new Set(rows.map(row => row.id))
  return arrived(sandbox, conversations)
    .map(held => held.id)
    .filter(id => unfinished.has(id))
}

function audit(sandbox: KillSandbox, conversations: Conversation[], awaiting: string[][]) {
  const held = arrived(sandbox, conversations)
  const caught = awaiting.flat()
  const framesPerId: Record<number, number> = {}
  for (const { copies } of held) framesPerId[copies] = (framesPerId[copies] ?? 0) + 1
  const texts = conversations.map(({ number, contact }) =>
    sandbox.simulator
      .phone(contact)
      .inbox(number.phone)
      .map(({ message }) => textOfMessage(message)),
  )
  const isOrdered = (at: number) => {
    const numbers = texts[at]!.map(text => Number(text.split('-').at(-1)))
    return numbers.every((n, i) => i === 0 || n > numbers[i - 1]!)
  }
  const expected = conversations.flatMap(each => each.accepted.map((_, n) => keyOf(each, n)))
  const counts = new Map<string, number>()
  for (const text of texts.flat()) counts.set(text, (counts.get(text) ?? 0) + 1)
  return {
    accepted: expected.length,
    distinct: new Set(held.map(({ id }) => id)).size,
    framesPerId,
    repeats: held.reduce((sum, { copies }) => sum + copies - 1, 0),
    awaitingAck: awaiting.map(ids => ids.length),
    needlesslyRepeated: held
      .filter(({ id, copies }) => copies - 1 > caught.filter(other => other === id).length)
      .map(({ id }) => id),
    lost: expected.filter(key => !counts.has(key)),
    doubled: [...counts].filter(([, count]) => count > 1).map(([key]) => key),
    outOfOrder: conversations.filter((_, at) => !isOrdered(at)).map(each => keyOf(each, 0)),
    unread: sandbox.simulator.unread(),
    notPublishedOnce: notPublishedOnce(sandbox, conversations),
  }
}

function notPublishedOnce(sandbox: KillSandbox, conversations: Conversation[]): string[] {
  const published = new Map<string, number>()
  for (const { kind, dedupeId } of sandbox.published(0)) {
    if (kind === 'status') published.set(dedupeId, (published.get(dedupeId) ?? 0) + 1)
  }
  const failed = new Set(
    sandbox.query<{ id: string }>("select id from messages where state = 'failed'").map(row => row.id),
  )
  const ids = conversations.flatMap(({ accepted }) => accepted)
  return ids.filter(id => published.get(id) !== 1 || failed.has(id))
}
