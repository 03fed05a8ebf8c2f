import { randomBytes, randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { createMessageId } from '@postern/simulator/phone/message-id'
import type { CallEvent, Event, ReceiptEvent } from '../../src/domain/event.ts'
import type { EveryEndpoint } from './every-endpoint.ts'
import type { KillSandbox, StoredEvent } from './kill-sandbox.ts'
import { expectStatus, type SandboxNumber } from './linked-gateway.ts'
import { until } from './until.ts'

export interface StormOptions {
  messages: number
  receipts: number
  calls: number
}

export interface StormReport {
  stanzas: number
  unacknowledgedAtKill: number
  sentAtKill: number
  /** The time from the later of the restart and the last stanza until everything was acknowledged. */
  acknowledgedMs: number
  /** What was never acknowledged. */
  unacknowledged: number
  events: number
  /** Stanzas without an event but with a counted reason. */
  counted: number
  lost: string[]
  doubled: string[]
  /** Published, but never sent. */
  unexpected: string[]
  mediaDownloaded: number
  /** HTTP deliveries of an event after the first: those are allowed. */
  deliveredAgain: number
  endpoints: Awaited<ReturnType<EveryEndpoint['audit']>>
}

/** A stanza that a phone is about to send; its event must have the same name. */
interface Stanza {
  name: string
  send(): Promise<unknown>
}

const MIN_UNACKNOWLEDGED = 20
const CONTACTS = 4
const contactOf = (n: number): string => `1555100${String(1_000 + (n % CONTACTS))}`

/** A contact identifies itself by number or by hidden identifier, always in the same way. */
const addressingOf = (contact: string) => (Number(contact) % 2 === 0 ? ('pn' as const) : ('lid' as const))

/** Phones write, read and call; the gateway is killed meanwhile and started again; then everything is counted. */
export async function stormAndKill(
  sandbox: KillSandbox,
  endpoints: EveryEndpoint,
  options: StormOptions,
): Promise<StormReport> {
  const before = sandbox.published(0).at(-1)?.seq ?? 0
  const sentIds = await sendToBeRead(sandbox, options.receipts)
  const groups = sandbox.numbers.map(number => groupOf(sandbox, number))
  const stanzas = shuffled([
    ...Array.from({ length: options.messages }, (_, i) => message(sandbox, groups, i)),
    ...sentIds.map(sent => reading(sandbox, sent)),
    ...Array.from({ length: options.calls }, (_, i) => call(sandbox, i)),
  ])
  const mark = sandbox.published(0).at(-1)?.seq ?? 0
  sandbox.receiver.ledger.length = 0
  // What the endpoints get later would count as unexpected.
  await endpoints.audit(sandbox.published(before))
  endpoints.forget()
  const killed = await sendAll(sandbox, stanzas)
  const settled = await waitForAll(sandbox, mark, stanzas.length)
  const compared = await endpoints.audit(sandbox.published(mark))
  return { stanzas: stanzas.length, ...killed, ...settled, ...audit(sandbox, mark, stanzas), endpoints: compared }
}

interface SentToContact {
  platformId: string
  contact: string
}

/** Messages of the numbers that contacts have received and not read. */
async function sendToBeRead(sandbox: KillSandbox, count: number): Promise<SentToContact[]> {
  const mark = sandbox.published(0).at(-1)?.seq ?? 0
  sandbox.receiver.ledger.length = 0
  for (let i = 0; i < count; i++) {
    const session_id = sandbox.numbers[i % sandbox.numbers.length]!.id
    await expectStatus(202, sandbox.ask('POST', '/v1/messages', { session_id, to: contactOf(i), text: `to read ${i}` }))
  }
  const delivered = (): SentToContact[] =>
    bodies(sandbox)
      .filter((event): event is ReceiptEvent => event.kind === 'receipt')
      .map(event => ({ platformId: event.messenger_message_id, contact: event.recipient_jid.split('@')[0]! }))
  // `sent` and `delivered` of each.
  await until(() => sandbox.published(mark).length >= 2 * count && delivered().length >= count)
  return [...new Map(delivered().map(each => [each.platformId, each])).values()]
}

function groupOf({ simulator }: KillSandbox, { phone }: SandboxNumber): string {
  const [owner, other] = [contactOf(0), contactOf(1)]
  const known = simulator.groups().find(group => group.subject === phone)
  return (known ?? simulator.group({ subject: phone, owner, members: [phone, other] })).jid
}

/** Every tenth has media, and every seventh comes through a group. */
function message(sandbox: KillSandbox, groups: string[], i: number): Stanza {
  const at = i % sandbox.numbers.length
  const number = sandbox.numbers[at]!
  const isGroup = i % 7 === 3
  const contact = contactOf(isGroup ? randomInt(2) : randomInt(CONTACTS))
  const id = createMessageId()
  const content =
    i % 10 === 0
      ? ({ type: 'image', data: randomBytes(1_000 + randomInt(4_000)) } as const)
      : ({ type: 'text', text: `message ${i}` } as const)
  const target = isGroup ? groups[at]! : number.phone
  return {
    name: `message ${number.jid} ${id}`,
    send: () => sandbox.simulator.phone(contact).sendTo(target, content, { id, addressing: addressingOf(contact) }),
  }
}

function reading({ simulator }: KillSandbox, { platformId, contact }: SentToContact): Stanza {
  return { name: `read ${platformId}`, send: async () => simulator.phone(contact).read(platformId) }
}

function call({ simulator, numbers }: KillSandbox, i: number): Stanza {
  const contact = contactOf(i)
  const id = randomBytes(16).toString('hex').toUpperCase()
  const { phone } = numbers[i % numbers.length]!
  const options = { id, addressing: addressingOf(contact) }
  return { name: `call ${id}`, send: () => simulator.phone(contact).call(phone, options) }
}

/** Sends in bursts, faster than the gateway processes them, and kills it when a random part is acknowledged. */
async function sendAll(sandbox: KillSandbox, stanzas: Stanza[]) {
  const killAfter = Math.floor(stanzas.length * Math.random() * 0.7)
  const sends: Promise<unknown>[] = []
  const isTime = () => {
    const waiting = sandbox.unacknowledged()
    return waiting >= MIN_UNACKNOWLEDGED && sends.length - waiting >= killAfter
  }
  const killing = sandbox.simulator.until(isTime).then(async () => {
    const atKill = { unacknowledgedAtKill: sandbox.unacknowledged(), sentAtKill: sends.length }
    await sandbox.kill()
    await sandbox.start()
    return atKill
  })
  while (sends.length < stanzas.length) {
    const burst = stanzas.slice(sends.length, sends.length + MIN_UNACKNOWLEDGED + randomInt(40))
    for (const stanza of burst) sends.push(stanza.send())
    await pause(randomInt(60))
  }
  await Promise.all(sends)
  return await killing
}

async function waitForAll(sandbox: KillSandbox, mark: number, stanzas: number) {
  const since = performance.now()
  await until(() => sandbox.allConnected() && sandbox.unacknowledged() === 0).catch(() => {})
  const acknowledgedMs = Math.round(performance.now() - since)
  const unacknowledged = sandbox.unacknowledged()
  const waiting = () => sandbox.query('select 1 from inbox where done_at is null limit 1').length
  await until(() => waiting() === 0 && sandbox.published(mark).length >= stanzas).catch(() => {})
  const isDelivered = () => sandbox.query('select 1 from deliveries limit 1').length === 0
  await until(isDelivered).catch(() => {})
  return { acknowledgedMs, unacknowledged }
}

function audit(sandbox: KillSandbox, mark: number, stanzas: Stanza[]) {
  const stored = sandbox.published(mark)
  const bodyOf = new Map(sandbox.receiver.ledger.map(entry => [entry.id, JSON.parse(entry.body.toString()) as Event]))
  const counts = new Map<string, number>()
  for (const name of stored.map(row => nameOf(row, bodyOf.get(row.dedupeId)))) {
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const sent = new Set(stanzas.map(stanza => stanza.name))
  const missing = [...sent].filter(name => !counts.has(name))
  const lost = missing.filter(name => !hasReason(sandbox, name))
  const images = [...bodyOf.values()].filter(event => event.kind === 'message' && event.media?.status === 'downloaded')
  return {
    events: stored.length,
    counted: missing.length - lost.length,
    lost,
    doubled: [...counts].filter(([, count]) => count > 1).map(([name]) => name),
    unexpected: [...counts.keys()].filter(name => !sent.has(name)),
    mediaDownloaded: images.length,
    deliveredAgain: sandbox.receiver.ledger.length - bodyOf.size,
  }
}

/** The subject of an event; one that was never delivered has no body to read. */
function nameOf(row: StoredEvent, body: Event | undefined): string {
  if (row.kind === 'message') return `message ${row.sessionId} ${row.dedupeId}`
  if (row.kind === 'call' && body !== undefined) return `call ${(body as CallEvent).call_id}`
  if (row.kind !== 'receipt' || body === undefined) return `${row.kind} ${row.id}`
  const { receipt_type, messenger_message_id } = body as ReceiptEvent
  return `${receipt_type} ${messenger_message_id}`
}

function hasReason({ query }: KillSandbox, name: string): boolean {
  const [kind, ...rest] = name.split(' ')
  const inKey = kind === 'read' ? `/read/${rest.at(-1)}` : rest.at(-1)!
  return query('select 1 from inbox where reason is not null and instr(key, ?) > 0 limit 1', inKey).length > 0
}

function bodies({ receiver }: KillSandbox): Event[] {
  return receiver.ledger.map(entry => JSON.parse(entry.body.toString()) as Event)
}

function shuffled<T>(items: T[]): T[] {
  return items
    .map(item => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}
