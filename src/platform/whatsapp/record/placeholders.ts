import { createHash } from 'node:crypto'
import { ExpiringMap } from '../../../runtime/expiring-map.ts'

const MOST = 2_000
/** Longer ones, which others may choose, are remembered by their digest. */
const LONGEST = 100

/** What stands for somebody, by the server that the id names. */
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

/** Ids that are the same for everybody. */
const FIXED = new Set(['status@broadcast', '0@s.whatsapp.net', '@s.whatsapp.net', 's.whatsapp.net', 'g.us', 'call'])

const JID = /^([^@:]*)(?::(\d{1,5}))?@([a-z.]+)$/

/** The same word for the same id, in the order of their appearance; which id it was is in memory alone. */
export class Placeholders {
  readonly #isOwn: (user: string) => boolean
  readonly #known = new ExpiringMap<string>(MOST)
  readonly #counts = new Map<string, number>()

  constructor(isOwn: (user: string) => boolean) {
    this.#isOwn = isOwn
  }

  /** `user#3:12@lid`: kind, device and server stay. `undefined` for what is no id of somebody. */
  jid(value: string): string | undefined {
    if (FIXED.has(value)) return value
    const [, user = '', device, server = ''] = JID.exec(value) ?? []
    const kind = KINDS.get(server)
    if (kind === undefined) return undefined
    const who = kind === 'user' && this.#isOwn(user) ? 'me' : this.#word(kind, `${user}@${server}`)
    return `${who}${device === undefined ? '' : `:${device}`}@${server}`
  }

  id(value: string): string {
    return value === '' ? '' : this.#word('id', value)
  }

  #word(kind: string, value: string): string {
    const key = `${kind} ${value.length > LONGEST ? createHash('sha256').update(value).digest('base64') : value}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const count = (this.#counts.get(kind) ?? 0) + 1
    this.#counts.set(kind, count)
    const word = `${kind}#${count}`
    this.#known.set(key, word)
    return word
  }
}
