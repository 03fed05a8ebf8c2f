import { ConfigError } from '../../boot/config-error.ts'
import type { GatewayClient } from '../gateway-client.ts'
import { type EventTable, type Field, urlsOf } from './categories.ts'
import type { TheirNumber } from './their-number.ts'

interface OurNumber {
  id: string
  phone: string
  label: string
  auto_reject: { enabled: boolean }
}

/** What came of one of their numbers. */
export interface Imported {
  name: string
  phone: string | null
  session_id: string | null
  urls: Partial<Record<Field, string>>
  done: string[]
  /** Shown once, as the gateway answered it. */
  secret?: string
  /** The gateway refused something; its words are in `to_do`. */
  refused: boolean
  /** What is for people to do. */
  to_do: string[]
  left: string[]
}

/** Writes what can be mapped, for numbers that are linked here already; doing it again changes nothing more. */
export async function applyAll(
  client: GatewayClient,
  numbers: TheirNumber[],
  { table, isDry }: { table: EventTable; isDry: boolean },
): Promise<Imported[]> {
  const ours = await readAll<OurNumber>(client, '/v1/sessions')
  const hooked = new Set(
    (await readAll<{ session_id: string }>(client, '/v1/webhooks')).map(each => bare(each.session_id)),
  )
  const imported: Imported[] = []
  for (const theirs of numbers) {
    const { urls, left } = urlsOf(theirs.hooks, table)
    const our = ours.find(each => theirs.phone !== null && digits(each.phone) === theirs.phone)
    const one: Imported = {
      name: theirs.name,
      phone: theirs.phone,
      session_id: our?.id ?? null,
      urls,
      done: [],
      refused: false,
      to_do: [],
      left: [...new Set([...theirs.left, ...left])],
    }
    if (our === undefined) one.to_do.push(toLink(theirs))
    else await applyOne(one, { our, theirs, hooked, write: isDry ? () => Promise.resolve({}) : writerOf(client) })
    imported.push(one)
  }
  return imported
}

type Write = (method: string, path: string, body: unknown) => Promise<{ secret?: string }>

const writerOf =
  (client: GatewayClient): Write =>
  (method, path, body) =>
    client.call(method, path, body)

interface Pair {
  our: OurNumber
  theirs: TheirNumber
  /** The numbers that have a webhook here. */
  hooked: Set<string>
  write: Write
}

async function applyOne(one: Imported, { our, theirs, hooked, write }: Pair): Promise<void> {
  const path = `/v1/sessions/${encodeURIComponent(our.id)}`
  const label = labelOf(theirs)
  if (
    our.label === '' &&
    label !== '' &&
    (await attempt(one, `label "${label}"`, () => write('PATCH', path, { label })))
  )
    our.label = label
  if (theirs.rejectsCalls !== null && !our.auto_reject.enabled) {
    const rejecting = { enabled: true, ...theirs.rejectsCalls }
    if (await attempt(one, 'calls are rejected', () => write('POST', `${path}/calls/auto-reject`, rejecting)))
      our.auto_reject.enabled = true
  }
  await applyHook(one, { our, hooked, write })
}

async function applyHook(one: Imported, { our, hooked, write }: Omit<Pair, 'theirs'>): Promise<void> {
  const isHooked = hooked.has(bare(our.id))
  if (Object.keys(one.urls).length === 0) {
    if (!isHooked) one.to_do.push('no webhook URL was found for it: make a webhook (portal, or POST /v1/webhooks)')
    return
  }
  if (isHooked) return void one.to_do.push('it has a webhook here already, which stays as it is: compare the URLs')
  const body = { session_id: our.id, ...one.urls }
  const made = await attempt(one, 'webhook', () => write('POST', '/v1/webhooks', body))
  if (made === undefined) return
  hooked.add(bare(our.id))
  if (made.secret !== undefined) one.secret = made.secret
}

/** What is refused is told with the rest: secrets that were answered before are shown this once. */
async function attempt<T>(one: Imported, what: string, write: () => Promise<T>): Promise<T | undefined> {
  try {
    const answer = await write()
    one.done.push(what)
    return answer
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    one.refused = true
    one.to_do.push(`${what}: ${error.message}`)
    return undefined
  }
}

/** As long as a label may be, without half of a character at its end. */
const labelOf = ({ label }: TheirNumber): string => label.slice(0, 100).replace(/[\ud800-\udbff]$/, '')

const toLink = ({ phone, name }: TheirNumber): string =>
  phone === null
    ? `they do not know the number of "${name}": link it in the portal, then import again with its phone in "me" or "ownerJid"`
    : `link +${phone} (portal, or POST /v1/pairings with {"method":"code","phone":"${phone}"}), then import again. Their keys cannot be moved: unlink the old device once the new one is linked`

async function readAll<T>(client: GatewayClient, path: string): Promise<T[]> {
  const all: T[] = []
  let cursor: string | null = null
  do {
    const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page: { data: T[]; next_cursor?: string | null } = await client.call('GET', `${path}?limit=100${query}`)
    all.push(...page.data)
    cursor = page.next_cursor ?? null
  } while (cursor !== null)
  return all
}

const digits = (phone: string): string => phone.replace(/[^\d]/g, '')
const bare = (id: string): string => id.replace(/:\d+@/, '@')
