/** Records which versions ran when, and what each of them sent. */
export class SideBySide {
  exchanges = { old: 0, new: 0 }
  #names = new Map()
  #sent = { old: 0, new: 0 }
  #running = { old: 0, new: 0 }
  #sinceMs = 0
  #mixedMs = 0

  name(root, name) {
    this.#names.set(root, name)
    return this
  }

  nameOf(root) {
    return this.#names.get(root)
  }

  /** Reads a line of a process's log and counts a sent message. */
  noteLine({ root }, { msg, outcome }) {
    const name = this.#names.get(root)
    if (msg === 'command.executed' && outcome === 'sent' && name !== undefined) this.#sent[name]++
  }

  /** All processes run the old version. */
  began(count) {
    this.#running.old = count
    this.#sinceMs = performance.now()
  }

  /** One process changes to this version. */
  exchanged(root) {
    this.#count()
    const name = this.#names.get(root)
    this.exchanges[name]++
    this.#running[name]++
    this.#running[name === 'old' ? 'new' : 'old']--
  }

  ended() {
    this.#count()
  }

  sideBySideS() {
    return Math.round(this.#mixedMs / 1_000)
  }

  sentBy() {
    return this.#sent
  }

  bothSent() {
    return this.#sent.old > 0 && this.#sent.new > 0
  }

  #count() {
    const nowMs = performance.now()
    if (this.#running.old > 0 && this.#running.new > 0) this.#mixedMs += nowMs - this.#sinceMs
    this.#sinceMs = nowMs
  }
}
