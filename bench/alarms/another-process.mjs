import { later } from '../shared/child.mjs'

/** Until Prometheus has asked every target once, and until it has read anew which there are. */
export const ASKED_MS = 3_500
const HEARD_MS = ASKED_MS + 1_500

/** One process more, for as long as a step needs it, watched beside the others. */
export class AnotherProcess {
  #start
  #watch
  #node

  constructor(start, watch) {
    this.#start = start
    this.#watch = watch
  }

  get port() {
    return this.#node.port
  }

  async start(roles, more) {
    this.#node = await this.#start(roles, more)
    this.#watch([this.#node])
  }

  async startAgain(roles) {
    await this.start(roles, { port: this.#node.port })
  }

  signal(name) {
    this.#node.signal(name)
  }

  /** Kills it, and leaves Prometheus asking for it. */
  async kill() {
    await this.#node.end()
  }

  /** Ends it as something that is over on time, which is no alarm. */
  async end() {
    this.#watch([])
    await later(HEARD_MS)
    await this.#node.end()
  }
}
