import { later } from '../shared/child.mjs'

const LOOK_MS = 50
/** A fault that finds no target within this time is skipped. */
const MOST_WAIT_MS = 20_000

/** Injects the planned faults into the cluster and its database. Several may overlap. */
export class Faults {
  /** The injected faults with their start, end and target. */
  done = []
  #cluster
  #database
  #log
  #onDeath
  #databaseIsBusy = false
  #running = new Set()

  constructor({ cluster, database, log, onDeath }) {
    this.#cluster = cluster
    this.#database = database
    this.#log = log
    this.#onDeath = onDeath
  }

  /** Resolves when all faults are over and repaired. */
  async run(plan) {
    const began = performance.now()
    for (const fault of plan) {
      await later(Math.max(0, fault.atMs - (performance.now() - began)))
      const doing = this.#do(fault).finally(() => this.#running.delete(doing))
      this.#running.add(doing)
    }
    await Promise.all(this.#running)
  }

  async #do(fault) {
    const name = `${fault.kind} ${fault.role ?? 'database'}`
    const entry = { kind: fault.kind, role: fault.role ?? 'database', startedMs: 0, endedMs: Number.POSITIVE_INFINITY }
    try {
      if (fault.role === undefined) await this.#strikeDatabase(fault, entry)
      else await this.#strikeProcess(fault, entry)
    } catch (error) {
      this.#log(`${name} failed: ${error.message}`)
      throw error
    } finally {
      entry.endedMs = Date.now()
    }
  }

  #began(entry) {
    entry.startedMs = Date.now()
    this.done.push(entry)
  }

  async #strikeDatabase({ kind, crash }, entry) {
    while (this.#databaseIsBusy) await later(LOOK_MS)
    this.#databaseIsBusy = true
    this.#began(entry)
    try {
      if (kind === 'restart') return await this.#database.restart({ crash })
      await this.#database.promote()
      await this.#cluster.leadTo(this.#database.port())
    } finally {
      this.#databaseIsBusy = false
    }
  }

  async #strikeProcess(fault, entry) {
    const member = await this.#choose(fault)
    if (member === undefined) return
    member.isBusy = true
    this.#began(Object.assign(entry, { member }))
    if (fault.kind === 'kill') this.#onDeath(member.process, entry.startedMs)
    try {
      await STRIKES[fault.kind](member, fault)
    } finally {
      member.isBusy = false
    }
  }

  /** A running process of the role without another fault. */
  async #choose({ role, which }) {
    for (let leftMs = MOST_WAIT_MS; leftMs > 0; leftMs -= LOOK_MS) {
      const free = this.#cluster.members.filter(each => each.role === role && !each.isBusy && each.process.isUp)
      if (free.length > 0) return free[Math.floor(which * free.length)]
      await later(LOOK_MS)
    }
    return undefined
  }
}

const STRIKES = {
  kill: ({ process }) => process.kill(),
  terminate: ({ process }) => process.terminate(),
  pause: ({ process }, { forMs }) => process.pause(forMs),
  cut: async ({ relay }, { forMs }) => {
    await relay.cut()
    await later(forMs)
    await relay.heal()
  },
  silence: async ({ relay }, { forMs, broken }) => {
    await relay.silence()
    await later(forMs)
    await relay.heal({ broken })
  },
}
