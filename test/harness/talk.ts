import { setTimeout as pause } from 'node:timers/promises'
import { createMessageId } from '@postern/simulator/phone/message-id'
import { textOfMessage } from '@postern/simulator/phone/message-text'
import type { Event } from '../../src/domain/event.ts'
import type { LinkedGateway, SandboxNumber } from './linked-gateway.ts'

/** A text that a number sent, accepted with 202. */
export interface SentText {
  text: string
  messageId: string
  contact: string
}

/** A text that a contact wrote to a number; its event has the same id. */
export interface ReceivedText {
  id: string
  number: SandboxNumber
}

/** Numbers and contacts that write to each other, with a ledger of what was accepted. */
export class Talk {
  readonly sent: SentText[] = []
  readonly received: ReceivedText[] = []
  readonly #gateway: LinkedGateway
  readonly #name: string
  #serial = 0

  constructor(gateway: LinkedGateway, name: string) {
    this.#gateway = gateway
    this.#name = name
  }

  /** Repeats a request under one key until it is accepted, as a careful customer does. */
  async send(number: SandboxNumber, contact: string, more: { send_at?: string } = {}): Promise<void> {
    const text = `${this.#name}-${this.#serial++}`
    const body = { session_id: number.id, to: contact, text, ...more }
    const headers = { 'idempotency-key': text }
    for (;;) {
      const answer = await this.#gateway.ask('POST', '/v1/messages', body, headers).catch(() => undefined)
      if (answer?.status === 202) return void this.sent.push({ text, messageId: answer.json.message_id, contact })
      if (answer !== undefined && answer.status < 500 && answer.status !== 409) throw new Error(answer.text)
      await pause(50)
    }
  }

  async sendLater(number: SandboxNumber, contact: string, inMs: number): Promise<void> {
    await this.send(number, contact, { send_at: new Date(Date.now() + inMs).toISOString() })
  }

  async receive(number: SandboxNumber, contact: string): Promise<void> {
    const id = createMessageId()
    await this.#gateway.simulator
      .phone(contact)
      .sendTo(number.phone, { type: 'text', text: `${this.#name}-${this.#serial++}` }, { id })
    this.received.push({ id, number })
  }

  /** Writes in both directions with each contact, this many times. */
  async exchange(times: number, contacts: string[]): Promise<void> {
    for (let i = 0; i < times; i++) {
      for (const number of this.#gateway.numbers) {
        for (const contact of contacts) {
          await this.send(number, contact)
          await this.receive(number, contact)
        }
      }
    }
  }

  /** How many messages with this text its contact's phone shows. */
  onPhone({ text, contact }: SentText): number {
    const { simulator, numbers } = this.#gateway
    return numbers
      .flatMap(({ phone }) => simulator.phone(contact).inbox(phone))
      .filter(({ message }) => textOfMessage(message) === text).length
  }

  events(): Event[] {
    return this.#gateway.receiver.ledger.map(entry => JSON.parse(entry.body.toString()) as Event)
  }

  /** Texts that no phone shows, and messages without an event. */
  missing(): { sent: SentText[]; received: ReceivedText[] } {
    const published = new Set(this.events().flatMap(event => (event.kind === 'message' ? [event.message_id] : [])))
    return {
      sent: this.sent.filter(each => this.onPhone(each) === 0),
      received: this.received.filter(({ id }) => !published.has(id)),
    }
  }

  doubled(): SentText[] {
    return this.sent.filter(each => this.onPhone(each) > 1)
  }

  failures(): string[] {
    return this.events().flatMap(event =>
      event.kind === 'status' && event.status === 'failed' ? [`${event.request_id}: ${event.detail}`] : [],
    )
  }

  /** Whether nothing is missing. */
  isWhole(): boolean {
    const { sent, received } = this.missing()
    return sent.length === 0 && received.length === 0
  }
}
