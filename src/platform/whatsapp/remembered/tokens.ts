import { createHmac } from 'node:crypto'
import type { BinaryNode, SignalKeyStore } from 'baileys'
import type { Clock } from '../../../runtime/clock.ts'
import { getOwn } from '../../../runtime/get-own.ts'
import { OwnKeys } from '../device/own-keys.ts'

const CATEGORY = 'postern-token-salt'
const ID = 'salt'

/** Tokens count by weeks of Unix time: one of this week or the three before is good. */
const BUCKET_SECONDS = 604_800
const GOOD_BUCKETS = 4

export function isGoodToken(issuedSeconds: number, nowSeconds: number): boolean {
  const bucketOf = (seconds: number): number => Math.floor(seconds / BUCKET_SECONDS)
  return bucketOf(issuedSeconds) > bucketOf(nowSeconds) - GOOD_BUCKETS
}

/**
 * What shows the platform that a number may write to somebody. The library keeps and sends the tokens that people have
 * given it; for those who have given none, or none that is still good, one is made from a salt that the number's phone
 * shares.
 */
export class Tokens {
  readonly #keys: () => SignalKeyStore
  readonly #kept: OwnKeys<Uint8Array>
  readonly #clock: Pick<Clock, 'now'>
  /** `null`: the phone has not shared any. */
  #salt: Uint8Array | null | undefined

  constructor(keys: () => SignalKeyStore, clock: Pick<Clock, 'now'>) {
    this.#keys = keys
    this.#kept = new OwnKeys(CATEGORY, keys)
    this.#clock = clock
  }

  keepSalt(salt: Uint8Array): void {
    this.#salt = salt
    this.#kept.set(ID, salt)
  }

  /** What stands beside a message to this person, where the library puts nothing there. */
  async nodeFor(lid: string): Promise<BinaryNode | undefined> {
    this.#salt ??= (await this.#kept.get(ID)) ?? null
    if (this.#salt === null || (await this.#isTrusted(lid))) return undefined
    return { tag: 'cstoken', attrs: {}, content: createHmac('sha256', this.#salt).update(lid).digest() }
  }

  async #isTrusted(lid: string): Promise<boolean> {
    const given = getOwn(await this.#keys().get('tctoken', [lid]), lid)
    return (
      given !== undefined &&
      given.token.length > 0 &&
      isGoodToken(Number(given.timestamp ?? 0), this.#clock.now().getTime() / 1000)
    )
  }
}
