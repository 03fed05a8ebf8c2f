/** What customers requested, the responses, and the events delivered since. */
export class Ledger {
  /** Sends by their key: the number and contact, and whether they were accepted. */
  sends = new Map()
  /** Texts of contacts that the network has accepted, by its message id. */
  incoming = new Map()
  /** Texts that contacts tried to write, with or without a response. */
  triedIncoming = new Set()
  /** Each kind of event about each message: how often it was posted. */
  delivered = new Map()
  /** Events without a cause, or delivered to the wrong number. */
  foreign = []
  unsigned = 0
  /** `failed` events, with their reasons. */
  failures = []
  connections = { connected: 0, disconnected: 0, logged_out: 0 }
  posts = 0
  lastEventMs = 0

  /** Records one request to the number's endpoint. */
  note(number, event, isSigned) {
    this.posts++
    if (!isSigned) this.unsigned++
    if (event.session_id !== number.jid) return void this.foreign.push(`${event.session_id} delivered to ${number.jid}`)
    if (event.kind === 'connection') return void this.connections[event.event]++
    const name = nameOf(event)
    if (!this.#isOf(number, event)) this.foreign.push(`${name} delivered to ${number.jid}`)
    if (event.status === 'failed') this.failures.push(`${event.request_id}: ${event.reason} ${event.detail ?? ''}`)
    if (!this.delivered.has(name)) this.lastEventMs = performance.now()
    this.delivered.set(name, (this.delivered.get(name) ?? 0) + 1)
  }

  #isOf(number, event) {
    if (event.kind === 'message') return this.triedIncoming.has(event.text) && event.text.startsWith(`${number.jid} `)
    return this.sends.get(event.request_id)?.number === number
  }

  accepted() {
    return [...this.sends].filter(([, { isAccepted }]) => isAccepted).map(([key]) => key)
  }

  /** Expected events that have not arrived. */
  undelivered() {
    const wanted = [
      ...this.accepted().map(key => `sent ${key}`),
      ...[...this.incoming.keys()].map(id => `message ${id}`),
    ]
    return wanted.filter(name => !this.delivered.has(name))
  }

  /** Messages without a delivered or read receipt. */
  unconfirmed() {
    return this.accepted().filter(key => !this.delivered.has(`delivered ${key}`) || !this.delivered.has(`read ${key}`))
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
