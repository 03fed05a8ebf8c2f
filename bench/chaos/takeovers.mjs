import { quantile } from '../shared/child.mjs'

/** Faults that have nothing to do with how soon another worker takes a number over. */
const HARMLESS = new Set(['api', 'dispatcher'])

/** From the workers' logs: which of them has a number's link, and how long numbers of a dead one were without. */
export class Takeovers {
  /** By session: the process and its generation. */
  #heldBy = new Map()
  /** By session: since when its worker is dead. */
  #orphans = new Map()
  #taken = []

  noteLine({ name, generation }, { msg, session, link, time }) {
    if (msg === 'session.ended') this.#heldBy.delete(session)
    if (msg !== 'link.changed' || link !== 'open') return
    const atMs = Date.parse(time)
    const since = this.#orphans.get(session)
    if (since !== undefined && atMs > since) {
      this.#orphans.delete(session)
      this.#taken.push({ since, ms: atMs - since })
    }
    this.#heldBy.set(session, { name, generation })
  }

  /** A worker was killed: its numbers wait. */
  died({ name, generation }, atMs) {
    for (const [session, holder] of this.#heldBy) {
      if (holder.name !== name || holder.generation !== generation) continue
      this.#heldBy.delete(session)
      this.#orphans.set(session, atMs)
    }
  }

  /** In all, and where nothing else that matters happened meanwhile. */
  summary(faults) {
    const others = faults.filter(({ role }) => !HARMLESS.has(role))
    const isCalm = ({ since, ms }) =>
      !others.some(({ startedMs, endedMs }) => startedMs < since + ms && endedMs > since && startedMs !== since)
    return { all: describe(this.#taken), calm: describe(this.#taken.filter(isCalm)), waiting: this.#orphans.size }
  }
}

function describe(taken) {
  const times = taken.map(({ ms }) => ms)
  const of = share => (times.length === 0 ? null : quantile(times, share))
  return { count: times.length, p50Ms: of(0.5), p99Ms: of(0.99), maxMs: of(1) }
}
