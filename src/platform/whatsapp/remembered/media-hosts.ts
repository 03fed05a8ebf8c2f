import { getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from 'baileys'
import type { Clock } from '../../../runtime/clock.ts'
import { ExpiringMap } from '../../../runtime/expiring-map.ts'
import { resolveWithin } from '../../../runtime/deadline.ts'
import type { MediaRoute } from '../engine/socket-config.ts'
import type { Connection } from '../link/connection.ts'

const ANSWER_MS = 3_000
const MAX_HOSTS = 4
const HOUR_MS = 3_600_000
const ALL = 'all'

export interface MediaHostsDeps {
  clock: Clock
  route: Pick<MediaRoute, 'host' | 'isOurs'>
  connection(): Pick<Connection, 'sock'> | undefined
}

/** The other media servers that the platform names. */
export class MediaHosts {
  readonly #deps: MediaHostsDeps
  readonly #known: ExpiringMap<string[]>

  constructor(deps: MediaHostsDeps) {
    this.#deps = deps
    this.#known = new ExpiringMap(1, { ms: HOUR_MS, clock: deps.clock })
  }

  /** Returns none if the platform does not answer. */
  async others(signal: AbortSignal): Promise<string[]> {
    const { clock, route } = this.#deps
    const known = this.#known.get(ALL)
    if (known) return known
    const named = await resolveWithin(clock, ANSWER_MS, this.#query(), signal)
    if (!named) return []
    const others = [...new Set(named)].filter(host => host !== route.host && route.isOurs(host)).slice(0, MAX_HOSTS)
    this.#known.set(ALL, others)
    return others
  }

  /** Not through the library: if its query fails, each of its uploads fails from then on. */
  async #query(): Promise<string[] | undefined> {
    const attrs = { type: 'set', xmlns: 'w:m', to: S_WHATSAPP_NET }
    const content = [{ tag: 'media_conn', attrs: {} }]
    try {
      const answer = await this.#deps.connection()?.sock.query({ tag: 'iq', attrs, content }, ANSWER_MS)
      if (!answer) return undefined
      return getBinaryNodeChildren(getBinaryNodeChild(answer, 'media_conn'), 'host').flatMap(
        ({ attrs: { hostname } }) => (hostname === undefined ? [] : [hostname]),
      )
    } catch {
      return undefined
    }
  }
}
