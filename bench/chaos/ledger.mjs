/** What customers asked for and were answered, and what they were told since. */
export class Ledger {
  /** Sends by their key: the number and contact, and whether they were accepted. */
  sends = new Map()
  /** Texts that contacts wrote, by the network's id of those that it has accepted. */
  incoming = new Map()
  /** Texts that somebody tried to write, answered or not. */
  triedIncoming = new Set()
  /** Each kind of event about each message: how often it was posted. */
  told = new Map()
  /** Events that nobody can have caused, or that came to somebody else. */
  foreign = []
  unsigned = 0
  /** `failed` events, with their reasons. */
  failures = []
  connections = { connected: 0, disconnected: 0, logged_out: 0 }
  posts = 0
  lastNewsMs = 0

  /** One post, as the number's own endpoint got it. */
  note(number, event, isSigned) {
    this.posts++
    if (!isSigned) this.unsigned++
    if (event.session_id !== number.jid) return void this.foreign.push(`${event.session_id} told to ${number.jid}`)
    if (event.kind === 'connection') return void this.connections[event.event]++
    const name = nameOf(event)
    if (!this.#isOf(number, event)) this.foreign.push(`${name} told to ${number.jid}`)
    if (event.status === 'failed') this.failures.push(`${event.request_id}: ${event.reason} ${event.detail ?? ''}`)
    if (!this.told.has(name)) this.lastNewsMs = performance.now()
    this.told.set(name, (this.told.get(name) ?? 0) + 1)
  }

  #isOf(number, event) {
    if (event.kind === 'message') return this.triedIncoming.has(event.text) && event.text.startsWith(`${number.jid} `)
    return this.sends.get(event.request_id)?.number === number
  }

  accepted() {
    return [...this.sends].filter(([, { isAccepted }]) => isAccepted).map(([key]) => key)
  }

  /** Events that must come, and have not. */
  untold() {
    const wanted = [
      ...this.accepted().map(key => `sent ${key}`),
      ...[...this.incoming.keys()].map(id => `message ${id}`),
    ]
    return wanted.filter(name => !this.told.has(name))
  }

  /** Receipts that phones have given if all went well. */
  unconfirmed() {
    return this.accepted().filter(key => !this.told.has(`delivered ${key}`) || !this.told.has(`read ${key}`))
  }
}

function nameOf(event) {
  switch (event.kind) {
    case 'message':
      return `message ${event.message_id}`
    case 'status':
      return `${event.status} ${event.request_id}`
    case 'receipt':
      return `${event.receipt_type} ${event.request_id}`
    default:
      return event.kind
  }
}
