import { type PosternClient, PosternError, type Session } from '#sdk'
import { type EventTable, type Field, urlsOf } from './categories.ts'
import type { TheirNumber } from './their-number.ts'

/** What became of one number of the other gateway. */
export interface Imported {
  name: string
  phone: string | null
  session_id: string | null
  urls: Partial<Record<Field, string>>
  done: string[]
  /** The secret of the new webhook, which the gateway shows only once. */
  secret?: string
  /** The gateway rejected a change; `to_do` has its message. */
  refused: boolean
  /** What remains for a person to do. */
  to_do: string[]
  left: string[]
}

/** Applies the settings to numbers that are linked here already. Applying them twice changes nothing more. */
export async function applyAll(
  client: PosternClient,
  numbers: TheirNumber[],
  { table, isDry }: { table: EventTable; isDry: boolean },
): Promise<Imported[]> {
  const ours = await listOf(client.sessions.all({ limit: 100 }))
  const webhooks = await listOf(client.webhooks.all({ limit: 100 }))
  const withWebhook = new Set(webhooks.map(({ session_id }) => withoutDevice(session_id)))
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
    else await new NumberImport(client, { one, our, withWebhook, isDry }).apply(theirs)
    imported.push(one)
  }
  return imported
}

interface NumberDeps {
  one: Imported
  our: Session
  /** The numbers that have a webhook here. */
  withWebhook: Set<string>
  isDry: boolean
}

/** Applies the settings of one number. */
class NumberImport {
  readonly #client: PosternClient
  readonly #deps: NumberDeps

  constructor(client: PosternClient, deps: NumberDeps) {
    this.#client = client
    this.#deps = deps
  }

  async apply(theirs: TheirNumber): Promise<void> {
    const { our } = this.#deps
    const { sessions } = this.#client
    const label = labelOf(theirs)
    const isLabelled =
      our.label === '' &&
      label !== '' &&
      (await this.#attempt(`label "${label}"`, () => sessions.update(our.id, { label })))
    if (isLabelled) our.label = label
    if (theirs.rejectsCalls !== null && !our.auto_reject.enabled) {
      const rejecting = { enabled: true, ...theirs.rejectsCalls }
      if (await this.#attempt('calls are rejected', () => sessions.autoReject(our.id, rejecting)))
        our.auto_reject.enabled = true
    }
    await this.#applyWebhook()
  }

  async #applyWebhook(): Promise<void> {
    const { one, our, withWebhook } = this.#deps
    const hasWebhook = withWebhook.has(withoutDevice(our.id))
    if (Object.keys(one.urls).length === 0) {
      if (!hasWebhook) one.to_do.push('no webhook URL was found for it: make a webhook (portal, or POST /v1/webhooks)')
      return
    }
    if (hasWebhook) return void one.to_do.push('it has a webhook here already, which stays as it is: compare the URLs')
    const body = { session_id: our.id, ...one.urls }
    const created = await this.#attempt('webhook', () => this.#client.webhooks.create(body))
    if (created === undefined) return
    withWebhook.add(withoutDevice(our.id))
    if (created.response !== undefined) one.secret = created.response.secret
  }

  /**
   * `undefined` if the gateway rejected the change. The rejection is part of the result and does not end the import:
   * secrets of earlier webhooks are shown only once.
   */
  async #attempt<T>(what: string, write: () => Promise<T>): Promise<{ response?: T } | undefined> {
    const { one, isDry } = this.#deps
    try {
      const written = isDry ? {} : { response: await write() }
      one.done.push(what)
      return written
    } catch (error) {
      if (!(error instanceof PosternError)) throw error
      const reason = error.status === 0 ? error.message : `the gateway answered ${error.status}: ${error.message}`
      one.refused = true
      one.to_do.push(`${what}: ${reason}`)
      return undefined
    }
  }
}

/** Cuts the label to the longest that is allowed, without half of a character at its end. */
const labelOf = ({ label }: TheirNumber): string => label.slice(0, 100).replace(/[\ud800-\udbff]$/, '')

const toLink = ({ phone, name }: TheirNumber): string =>
  phone === null
    ? `they do not know the number of "${name}": link it in the portal, then import again with its phone in "me" or "ownerJid"`
    : `link +${phone} (portal, or POST /v1/pairings with {"method":"code","phone":"${phone}"}), then import again. Their keys cannot be moved: unlink the old device once the new one is linked`

async function listOf<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const each of pages) all.push(each)
  return all
}

const digits = (phone: string): string => phone.replace(/[^\d]/g, '')
const withoutDevice = (id: string): string => id.replace(/:\d+@/, '@')
