import type { Simulator } from '#simulator'
import { viewOfMessage } from '#simulator/phone/message-view'
import type { Phone } from '#simulator/phone/phone'
import { Refused } from '#simulator/refused'
import type { SandboxMessage, SandboxRequest } from '../domain/sandbox.ts'
import { type Found, type OpenFile, showFound } from './shown-message.ts'

const MAX_FILE_BYTES = 1_048_576
/** Limits of a response: files that do not fit are left out, and other content continues on the next page. */
const MAX_FILES_BYTES = 2 * 1_048_576
const MAX_CONTENT_CHARS = 512 * 1024
/** The event loop runs after this many phones. */
const PHONE_BATCH = 50

type Listing = Extract<SandboxRequest, { kind: 'messages' }>

/** The messages between the number and the contacts' phones, newest first; none of other numbers. */
export async function listMessages(
  simulator: Simulator,
  listing: Listing,
): Promise<{ data: SandboxMessage[]; next: string | null }> {
  const found = await findLatest(simulator, listing)
  const openFile = listing.withMedia ? fileOpener() : () => ({})
  const data: SandboxMessage[] = []
  let chars = 0
  for (const each of found.slice(0, listing.limit)) {
    const shown = showFound(each, openFile)
    chars += contentChars(shown)
    if (chars > MAX_CONTENT_CHARS && data.length > 0) break
    data.push(shown)
  }
  const last = found[data.length - 1]
  return { data, next: found.length > data.length && last !== undefined ? positionOf(last) : null }
}

/** The latest messages, one more than the page takes if there are more. */
async function findLatest(
  simulator: Simulator,
  { phone: number, contact, sinceMs, limit, before }: Listing,
): Promise<Found[]> {
  const linked = new Set(simulator.numbers().map(({ digits }) => digits))
  const groups = new Set(
    simulator
      .groups()
      .filter(group => group.members().includes(number))
      .map(group => group.jid),
  )
  const isWanted = (found: Found): boolean => found.atMs >= sinceMs && (before === null || positionOf(found) < before)
  const phones = simulator
    .phones()
    .filter(phone => !linked.has(phone.digits) && (contact === null || phone.digits === contact))
  let latest: Found[] = []
  for (let i = 0; i < phones.length; i += PHONE_BATCH) {
    const some = phones
      .slice(i, i + PHONE_BATCH)
      .flatMap(phone => [...received(phone, number), ...written(phone, number, groups)])
      .filter(isWanted)
    latest = [...latest, ...some].sort(newestFirst).slice(0, limit + 1)
    if (i + PHONE_BATCH < phones.length) await new Promise(resolve => setImmediate(resolve))
  }
  return latest
}

const positionOf = ({ atMs, phone, id }: Found): string => `${atMs}/${phone.digits}/${id}`

const newestFirst = (a: Found, b: Found): number => b.atMs - a.atMs || (positionOf(a) < positionOf(b) ? 1 : -1)

const contentChars = ({ media: _media, ...content }: SandboxMessage): number => JSON.stringify(content).length

/** Opens files until the response has no room for the next one. A deleted file is left out too. */
function fileOpener(): OpenFile {
  let room = MAX_FILES_BYTES
  return ({ phone, id, fromMe }, length) => {
    if (fromMe || length > MAX_FILE_BYTES) return {}
    if (length > room) return { data_omitted: true }
    try {
      const file = phone.openMedia(id)
      room -= file.length
      return { data: file.toString('base64') }
    } catch (error) {
      if (error instanceof Refused) return {}
      throw error
    }
  }
}

const received = (phone: Phone, number: string): Found[] =>
  phone
    .inbox()
    .filter(held => held.from === number && !held.fromMe)
    .map(held => ({
      phone,
      id: held.id,
      chat: held.chat,
      from: held.from,
      fromMe: false,
      timestamp: held.timestamp,
      atMs: held.atMs,
      view: () => viewOfMessage(held.message),
      status: held.played ? 'played' : held.read ? 'read' : 'delivered',
      copies: held.copies,
    }))

const written = (phone: Phone, number: string, groups: ReadonlySet<string>): Found[] =>
  phone
    .sent()
    .filter(sent => sent.chat === number || groups.has(sent.chat) || sent.ticks.has(number))
    .map(sent => ({
      phone,
      id: sent.id,
      chat: sent.chat,
      from: phone.digits,
      fromMe: true,
      timestamp: sent.timestamp,
      atMs: sent.atMs,
      view: () => viewOfMessage(sent.message),
      status: sent.ticks.get(number) ?? 'sent',
      copies: 1,
    }))
