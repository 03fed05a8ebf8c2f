import { quantile } from '../shared/child.mjs'

/** Roles whose faults do not affect how soon another worker takes over a number. */
const HARMLESS = new Set(['api', 'dispatcher'])

/** Reads from the workers' logs which worker hosts a number, and how long the numbers of a dead one had no host. */
export class Takeovers {
  /** By session: the process and its generation. */
  #heldBy = new Map()
  /** By session: when its worker died. */
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

  /** Records that a worker was killed and its numbers wait. */
  died({ name, generation }, atMs) {
    for (const [session, holder] of this.#heldBy) {
      if (holder.name !== name || holder.generation !== generation) continue
      this.#heldBy.delete(session)
      this.#orphans.set(session, atMs)
    }
  }

  /** Statistics of all takeovers, and of those without another relevant fault at the time. */
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
