import { sentOrNull, client } from '../image/client.mjs'
import { until } from '../shared/until.mjs'

const CONTACT = '+1 555 123 4567'

/** An account with a sandbox number and a webhook, which sends messages and waits for their events. */
export class Customer {
  #ask
  #session
  #receiver

  static async make(url, operatorToken, receiver, fetcher) {
    const operator = client(url, operatorToken, fetcher)
    const body = { name: 'Trial', plan: 'max', accept_tos: true }
    const { api_key: made } = await operator('POST', '/operator/accounts', body, 201)
    const ask = client(url, made.key, fetcher)
    const session = await ask('POST', '/v1/sessions', { platform: 'sandbox' }, 201)
    const hooks = { session_id: session.id, messages_url: receiver.url, status_url: receiver.url }
    await ask('POST', '/v1/webhooks', hooks, 201)
    return new Customer(ask, session.id, receiver)
  }

  constructor(ask, session, receiver) {
    this.#ask = ask
    this.#session = session
    this.#receiver = receiver
  }

  /** Sends a message; returns its state once it is sent and its signed webhook has arrived. */
  async send(text) {
    const message = { session_id: this.#session, to: CONTACT, text }
    const { message_id: id } = await until('it is accepted', () => acceptedOrNull(this.#ask, message))
    const { state } = await until('it is sent', () => sentOrNull(this.#ask, id))
    await until('the webhook', () => this.#receiver.about(id).size > 0)
    if ([...this.#receiver.about(id).values()].some(({ signed }) => !signed)) throw new Error('a webhook is not signed')
    return { id, state }
  }

  async find(id) {
    const { state } = await this.#ask('GET', `/v1/messages/${id}`)
    const number = await until('the number is connected', async () => {
      const found = await this.#ask('GET', `/v1/sessions/${encodeURIComponent(this.#session)}`)
      return found.state === 'connected' ? found : null
    })
    return `the message is \`${state}\`, the number \`${number.state}\``
  }
}

/** Returns null while no worker hosts the number. */
async function acceptedOrNull(ask, message) {
  try {
    return await ask('POST', '/v1/messages', message, 202)
  } catch (error) {
    if (error.message.includes('not currently hosted')) return null
    throw error
  }
}
