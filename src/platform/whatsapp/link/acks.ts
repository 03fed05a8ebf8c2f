import type { BinaryNode } from 'baileys'
import type { Clock } from '../../../runtime/clock.ts'
import { Deferred } from '../../../runtime/deferred.ts'
import type { AddressedOutcome } from '../../platform.ts'
import { unixSeconds, wholeNumber } from '../wire/numbers.ts'

/** The server's response to a message. */
export type Ack = (
  | { ok: true; atMs: number; serverId: number | null }
  /** `isTemporary`: the platform asks for another attempt later. */
  | { ok: false; code: number; isTemporary?: true }
) & {
  /** The hidden identifier that it was sent to no longer belongs to the person. */
  isLidStale?: true
  /** The platform's hash of the devices that the message is for. */
  hash?: string
}

export type Outcome = Ack | 'timeout' | 'lost'

/** Waits for the server's acks of messages: the library reports a message as sent when its frame is written. */
export class Acks {
  readonly #clock: Pick<Clock, 'now'>
  readonly #isAnswering: () => Promise<boolean>
  readonly #onUnexpected: (id: string, ack: Ack) => void
  readonly #expected = new Map<string, ExpectedAck>()

  /**
   * `isAnswering` pings the server before a missing ack counts as a timeout. `onUnexpected` gets the acks that no send
   * waits for, like those of messages that were sent again on request.
   */
  constructor(
    clock: Pick<Clock, 'now'>,
    isAnswering: () => Promise<boolean>,
    onUnexpected: (id: string, ack: Ack) => void = () => {},
  ) {
    this.#clock = clock
    this.#isAnswering = isAnswering
    this.#onUnexpected = onUnexpected
  }

  expect(id: string): ExpectedAck {
    const onDone = () => {
      // A second attempt may wait under the same id by now.
      if (this.#expected.get(id) === expected) this.#expected.delete(id)
    }
    const expected = new ExpectedAck(this.#isAnswering, onDone)
    this.#expected.set(id, expected)
    return expected
  }

  receive(stanza: BinaryNode): void {
    const id = stanza.attrs.id ?? ''
    const ack = readAck(stanza, this.#clock.now().getTime())
    const expected = this.#expected.get(id)
    if (expected) expected.resolve(ack)
    else this.#onUnexpected(id, ack)
  }

  lose(): void {
    for (const expected of this.#expected.values()) expected.resolve('lost')
  }
}

export class ExpectedAck {
  readonly #outcome = new Deferred<Outcome>()
  readonly #isAnswering: () => Promise<boolean>
  readonly #onDone: () => void
  #timer: NodeJS.Timeout | undefined
  #isDone = false

  constructor(isAnswering: () => Promise<boolean>, onDone: () => void) {
    this.#isAnswering = isAnswering
    this.#onDone = onDone
  }

  /**
   * Resolves with the ack; with `timeout` when the server answers a ping but sends no ack; with `lost` when the link
   * ends first.
   */
  get outcome(): Promise<Outcome> {
    return this.#outcome.promise
  }

  /** Starts the timeout: the message is sent. */
  within(timeoutMs: number): void {
    if (!this.#isDone) this.#timer = setTimeout(() => void this.#timeOut(), timeoutMs)
  }

  /** The server usually answers in order: an ack that is still under way arrives before the response to the ping. */
  async #timeOut(): Promise<void> {
    this.resolve((await this.#isAnswering()) ? 'timeout' : 'lost')
  }

  resolve(outcome: Outcome): void {
    clearTimeout(this.#timer)
    this.#isDone = true
    this.#onDone()
    this.#outcome.resolve(outcome)
  }
}

/** Codes of a platform that is overloaded or broken. */
const TEMPORARY = new Set([429, 500, 503])

/** An ack without a time counts as of now. */
export function readAck({ attrs }: Pick<BinaryNode, 'attrs'>, nowMs: number): Ack {
  const stale = attrs.refresh_lid === 'true' ? ({ isLidStale: true } as const) : {}
  if (attrs.error !== undefined) {
    const code = Number(attrs.error)
    const isTemporary = attrs.backoff !== undefined || TEMPORARY.has(code)
    return { ok: false, code, ...stale, ...(isTemporary && { isTemporary }) }
  }
  return {
    ok: true,
    ...stale,
    ...(attrs.phash !== undefined && { hash: attrs.phash }),
    atMs: (unixSeconds(attrs.t) ?? 0) * 1000 || nowMs,
    serverId: wholeNumber(attrs.server_id) ?? null,
  }
}

const REFUSALS: Readonly<Record<number, AddressedOutcome>> = {
  400: 'refused_400',
  463: 'refused_463',
  475: 'refused_475',
}

/** The outcome in metrics. */
export function outcomeOf(ack: Outcome): AddressedOutcome {
  if (typeof ack !== 'object') return 'unanswered'
  return ack.ok ? 'sent' : (REFUSALS[ack.code] ?? 'refused_other')
}
