import { createHmac } from 'node:crypto'
import type { BinaryNode, SignalKeyStore } from 'baileys'
import type { Clock } from '../../../runtime/clock.ts'
import { getOwn } from '../../../runtime/get-own.ts'
import { OwnKeys } from '../device/own-keys.ts'

const CATEGORY = 'postern-token-salt'
const ID = 'salt'

/** Tokens are counted in weeks of Unix time: a token of this week or the three before is valid. */
const BUCKET_SECONDS = 604_800
const GOOD_BUCKETS = 4

export function isGoodToken(issuedSeconds: number, nowSeconds: number): boolean {
  const bucketOf = (seconds: number): number => Math.floor(seconds / BUCKET_SECONDS)
  return bucketOf(issuedSeconds) > bucketOf(nowSeconds) - GOOD_BUCKETS
}

/**
 * Tokens show the platform that a number may write to a person. The library stores and sends the tokens that people
 * have given it; for people without a valid token, this class makes one from a salt that the number's phone shares.
 */
export class Tokens {
  readonly #keys: () => SignalKeyStore
  readonly #kept: OwnKeys<Uint8Array>
  readonly #clock: Pick<Clock, 'now'>
  /** `null`: the phone has not shared one. */
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

  /** The token node for a message to this person, unless the library adds one. */
  async nodeFor(lid: string): Promise<BinaryNode | undefined> {
    return (await this.#given(lid)) ? undefined : await this.#made(lid)
  }

  /** The token node for a message to this person that the library does not write. */
  async anyNodeFor(lid: string): Promise<BinaryNode | undefined> {
    const given = await this.#given(lid)
    return given ? { tag: 'tctoken', attrs: {}, content: given } : await this.#made(lid)
  }

  async #made(lid: string): Promise<BinaryNode | undefined> {
    this.#salt ??= (await this.#kept.get(ID)) ?? null
    if (this.#salt === null) return undefined
    return { tag: 'cstoken', attrs: {}, content: createHmac('sha256', this.#salt).update(lid).digest() }
  }

  /** A valid token that the person has given. */
  async #given(lid: string): Promise<Uint8Array | undefined> {
    const given = getOwn(await this.#keys().get('tctoken', [lid]), lid)
    const isGood =
      given !== undefined &&
      given.token.length > 0 &&
      isGoodToken(Number(given.timestamp ?? 0), this.#clock.now().getTime() / 1000)
    return isGood ? given.token : undefined
  }
}
