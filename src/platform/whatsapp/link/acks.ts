import type { BinaryNode } from 'baileys'
import type { Clock } from '../../../clock.ts'
import { Deferred } from '../../../deferred.ts'
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
  readonly #expected = new Map<string, ExpectedAck>()

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  expect(id: string): ExpectedAck {
    const expected = new ExpectedAck(() => {
      // A second attempt may wait under the same id by now.
      if (this.#expected.get(id) === expected) this.#expected.delete(id)
    })
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
  readonly #onSettled: () => void
  #timer: NodeJS.Timeout | undefined
  #isSettled = false

  constructor(onSettled: () => void) {
    this.#onSettled = onSettled
  }

  /** Resolves with the answer, with `timeout`, or with `lost` when the link ends before it. */
  get outcome(): Promise<Outcome> {
    return this.#outcome.promise
  }

  /** The message is on its way: from now on the platform has this long. */
  within(timeoutMs: number): void {
    if (!this.#isSettled) this.#timer = setTimeout(() => this.settle('timeout'), timeoutMs)
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
