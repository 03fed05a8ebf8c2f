import type { BinaryNode } from 'baileys'
import type { Clock } from '../../../runtime/clock.ts'
import { Deferred } from '../../../runtime/deferred.ts'
import { unixSeconds, wholeNumber } from '../wire/numbers.ts'

/** What the server answered to a message. */
export type Ack = ({ ok: true; atMs: number; serverId: number | null } | { ok: false; code: number }) & {
  /** The hidden identifier that it went to is not the person's any more. */
  isLidStale?: true
}

type Outcome = Ack | 'timeout' | 'lost'

/** Waits for the server's word on messages: the library reports writing a frame as sending it. */
export class Acks {
  readonly #clock: Pick<Clock, 'now'>
  readonly #isAnswering: () => Promise<boolean>
  readonly #expected = new Map<string, ExpectedAck>()

  /** Whether the server answers at all is asked before its silence about a message is taken for its word. */
  constructor(clock: Pick<Clock, 'now'>, isAnswering: () => Promise<boolean>) {
    this.#clock = clock
    this.#isAnswering = isAnswering
  }

  expect(id: string): ExpectedAck {
    const onSettled = () => {
      // A second attempt may wait under the same id by now.
      if (this.#expected.get(id) === expected) this.#expected.delete(id)
    }
    const expected = new ExpectedAck(this.#isAnswering, onSettled)
    this.#expected.set(id, expected)
    return expected
  }

  answer(stanza: BinaryNode): void {
    this.#expected.get(stanza.attrs.id ?? '')?.settle(readAck(stanza, this.#clock.now().getTime()))
  }

  lose(): void {
    for (const expected of this.#expected.values()) expected.settle('lost')
  }
}

export class ExpectedAck {
  readonly #outcome = new Deferred<Outcome>()
  readonly #isAnswering: () => Promise<boolean>
  readonly #onSettled: () => void
  #timer: NodeJS.Timeout | undefined
  #isSettled = false

  constructor(isAnswering: () => Promise<boolean>, onSettled: () => void) {
    this.#isAnswering = isAnswering
    this.#onSettled = onSettled
  }

  /**
   * Resolves with the answer; with `timeout` where the server is there and does not give one; with `lost` when the link
   * ends before it.
   */
  get outcome(): Promise<Outcome> {
    return this.#outcome.promise
  }

  /** The message is on its way: from now on the platform has this long. */
  within(timeoutMs: number): void {
    if (!this.#isSettled) this.#timer = setTimeout(() => void this.#late(), timeoutMs)
  }

  /** Answers come in order, as a rule: one to the message that is still under way comes before the one to this question. */
  async #late(): Promise<void> {
    this.settle((await this.#isAnswering()) ? 'timeout' : 'lost')
  }

  settle(outcome: Outcome): void {
    clearTimeout(this.#timer)
    this.#isSettled = true
    this.#onSettled()
    this.#outcome.resolve(outcome)
  }
}

/** Where the server does not say when, it was now. */
export function readAck({ attrs }: Pick<BinaryNode, 'attrs'>, nowMs: number): Ack {
  const stale = attrs.refresh_lid === 'true' ? ({ isLidStale: true } as const) : {}
  if (attrs.error !== undefined) return { ok: false, code: Number(attrs.error), ...stale }
  return {
    ok: true,
    ...stale,
    atMs: (unixSeconds(attrs.t) ?? 0) * 1000 || nowMs,
    serverId: wholeNumber(attrs.server_id) ?? null,
  }
}
