import { later } from '../shared/child.mjs'

/** How long until Prometheus has scraped every target once, and until it has reloaded its target list. */
export const SCRAPE_MS = 3_500
const RELOAD_MS = SCRAPE_MS + 1_500

/** An additional process for one step, which Prometheus scrapes like the others. */
export class ExtraProcess {
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

  /** Kills it; Prometheus continues to scrape it. */
  async kill() {
    await this.#node.end()
  }

  /** Removes it from the targets before ending it, so that no alarm fires. */
  async end() {
    this.#watch([])
    await later(RELOAD_MS)
    await this.#node.end()
  }
}
