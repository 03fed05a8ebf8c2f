import { createHmac } from 'node:crypto'
import type { BinaryNode, SignalDataTypeMap, SignalKeyStore } from 'baileys'
import type { Clock } from '../../../runtime/clock.ts'
import { getOwn } from '../../../runtime/get-own.ts'
import { OwnKeys } from '../device/own-keys.ts'

const CATEGORY = 'postern-token-salt'
const ID = 'salt'

/** The id under which the library lists the people whose tokens it has. */
const INDEX = '__index'

/** A token that a person has given this number; times are Unix seconds. */
export interface GivenToken {
  readonly person: string
  readonly token: Uint8Array
  readonly issuedAt: number
  /** When this number gave the person one. */
  readonly sentAt?: number
}

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

  /** Keeps tokens that people have given, unless newer ones are known; under the hidden identifier, as the library does. */
  async keepGiven(
    tokens: readonly GivenToken[],
    lidsOf: (people: string[]) => Promise<Array<string | undefined>>,
  ): Promise<void> {
    if (tokens.length === 0) return
    const keys = this.#keys()
    const lids = await lidsOf(tokens.map(({ person }) => person))
    const named = tokens.map((given, i) => ({ ...given, id: lids[i] ?? given.person }))
    const known = await keys.get('tctoken', [INDEX, ...named.map(({ id }) => id)])
    const entries = new Map<string, SignalDataTypeMap['tctoken']>()
    for (const { id, token, issuedAt, sentAt } of named) {
      const earlier = getOwn(known, id)
      if (Number(earlier?.timestamp ?? 0) >= issuedAt) continue
      const kept = { ...earlier, token: Buffer.from(token), timestamp: String(issuedAt) }
      entries.set(id, sentAt === undefined ? kept : { ...kept, senderTimestamp: sentAt })
    }
    if (entries.size === 0) return
    // The library finds expired tokens by this list.
    const listed = new Set([...readIndex(getOwn(known, INDEX)?.token), ...entries.keys()])
    entries.set(INDEX, { token: Buffer.from(JSON.stringify([...listed])) })
    await keys.set({ tctoken: Object.fromEntries(entries) })
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

  /** The token that the person has given, for queries about them. */
  async givenNodeFor(lid: string): Promise<BinaryNode | undefined> {
    const given = await this.#given(lid)
    return given && { tag: 'tctoken', attrs: {}, content: given }
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

function readIndex(bytes: Uint8Array | undefined): string[] {
  if (!bytes?.length) return []
  try {
    const ids: unknown = JSON.parse(Buffer.from(bytes).toString())
    return Array.isArray(ids) ? ids.filter(id => typeof id === 'string') : []
  } catch {
    return []
  }
}
