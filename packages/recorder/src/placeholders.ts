import { createHash } from 'node:crypto'
import { RecentMap } from './recent-map.ts'

const MAX_KNOWN = 2_000
/** Longer ids, which contacts may choose, are kept by their digest. */
const MAX_LENGTH = 100

/** The kind of an id, by the server that it names. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['s.whatsapp.net', 'user'],
  ['c.us', 'user'],
  ['lid', 'user'],
  ['hosted', 'user'],
  ['hosted.lid', 'user'],
  ['interop', 'user'],
  ['msgr', 'user'],
  ['bot', 'bot'],
  ['g.us', 'group'],
  ['broadcast', 'list'],
  ['newsletter', 'channel'],
  ['call', 'call'],
])

/** Ids that are the same for all users. */
const FIXED = new Set(['status@broadcast', '0@s.whatsapp.net', '@s.whatsapp.net', 's.whatsapp.net', 'g.us', 'call'])

const JID = /^([^@:]*)(?::(\d{1,5}))?@([a-z.]+)$/

/** Replaces each id by a placeholder, numbered in order of appearance. The mapping exists only in memory. */
export class Placeholders {
  readonly #isOwn: (user: string) => boolean
  readonly #known = new RecentMap<string>(MAX_KNOWN)
  readonly #counts = new Map<string, number>()

  constructor(isOwn: (user: string) => boolean) {
    this.#isOwn = isOwn
  }

  /** `user#3:12@lid`: kind, device and server stay. `undefined` for a value that is not a JID. */
  jid(value: string): string | undefined {
    if (FIXED.has(value)) return value
    const [, user = '', device, server = ''] = JID.exec(value) ?? []
    const kind = KINDS.get(server)
    if (kind === undefined) return undefined
    const who = kind === 'user' && this.#isOwn(user) ? 'me' : this.#placeholder(kind, `${user}@${server}`)
    return `${who}${device === undefined ? '' : `:${device}`}@${server}`
  }

  id(value: string): string {
    return value === '' ? '' : this.#placeholder('id', value)
  }

  #placeholder(kind: string, value: string): string {
    const key = `${kind} ${value.length > MAX_LENGTH ? createHash('sha256').update(value).digest('base64') : value}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const count = (this.#counts.get(kind) ?? 0) + 1
    this.#counts.set(kind, count)
    const placeholder = `${kind}#${count}`
    this.#known.set(key, placeholder)
    return placeholder
  }
}
