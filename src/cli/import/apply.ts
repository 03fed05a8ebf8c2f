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
      to_do: [],
      left: [...new Set([...theirs.left, ...left])],
    }
    if (our === undefined) one.to_do.push(toLink(theirs))
    else await applyOne(client, one, { our, theirs, isDry, isHooked: hooked.has(bare(our.id)) })
    imported.push(one)
  }
  return imported
}

interface Pair {
  our: OurNumber
  theirs: TheirNumber
  isDry: boolean
  isHooked: boolean
}

async function applyOne(client: GatewayClient, one: Imported, { our, theirs, isDry, isHooked }: Pair): Promise<void> {
  const path = `/v1/sessions/${encodeURIComponent(our.id)}`
  const write = async (said: string, method: string, at: string, body: unknown) => {
    const answer = isDry ? {} : await client.call(method, at, body)
    one.done.push(said)
    return answer as { secret?: string }
  }
  if (our.label === '' && theirs.label !== '')
    await write(`label "${theirs.label}"`, 'PATCH', path, { label: theirs.label })
  if (theirs.rejectsCalls !== null && !our.auto_reject.enabled)
    await write('calls are rejected', 'POST', `${path}/calls/auto-reject`, { enabled: true, ...theirs.rejectsCalls })
  if (Object.keys(one.urls).length === 0) return
  if (isHooked) return void one.to_do.push('it has a webhook here already, which stays as it is: compare the URLs')
  const { secret } = await write('webhook', 'POST', '/v1/webhooks', { session_id: our.id, ...one.urls })
  if (secret !== undefined) one.secret = secret
}

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
