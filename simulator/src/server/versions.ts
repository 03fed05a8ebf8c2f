import { createHash } from 'node:crypto'
import { DEFAULT_CONNECTION_CONFIG, type proto, toNumber } from 'baileys'

/** A fault of a page that names the version. */
export type VersionPageFault =
  | { readonly kind: 'status'; readonly status: number }
  /** The page contains no version. */
  | { readonly kind: 'garbage' }
  /** The page names an outdated version. */
  | { readonly kind: 'older' }
  /** The server never responds. */
  | { readonly kind: 'silence' }

/** Shown to the phone's owner; the client does not learn of it. */
export const TOO_OLD = 'the phone could not link the device: its version is too old'

export type VersionPage = 'page' | 'list'

const [MAJOR, MINOR] = DEFAULT_CONNECTION_CONFIG.version
/** A version of August 2026, which is too old by now; those of the library and of the gateway's release are older. */
const REJECTED = 1_046_000_000
const STEP = 500_000

/** The versions of the web client that the server accepts. It rejects those that are built into the library and the gateway. */
export class Versions {
  #newest = REJECTED + 4 * STEP
  #published = this.#newest
  #oldestForLogin = REJECTED + STEP
  #oldestForLinking = REJECTED + 2 * STEP
  /** Oldest accepted versions of single numbers, by digits. */
  readonly #oldestFor = new Map<string, number>()
  readonly faults = new Map<VersionPage, VersionPageFault>()
  /** How often each page was requested. */
  readonly requests: Record<VersionPage, number> = { page: 0, list: 0 }

  /** The version on the pages. */
  get published(): number {
    return this.#published
  }

  /** An outdated version. */
  get older(): number {
    return REJECTED - STEP
  }

  /** The version in the form that clients use. */
  get current(): [number, number, number] {
    return [MAJOR, MINOR, this.#newest]
  }

  /** Releases a new version, the only one accepted from now on; `isPublished`: the pages name it. */
  age(isPublished: boolean): void {
    this.#newest += STEP
    this.#oldestForLogin = this.#newest
    this.#oldestForLinking = this.#newest
    if (isPublished) this.publish()
  }

  /** Releases a new version, the only one accepted for logins of this number. */
  ageFor(digits: string): void {
    this.#newest += 1
    this.#oldestFor.set(digits, this.#newest)
    this.publish()
  }

  /** Releases a new version, the only one that phones link. */
  ageForLinking(): void {
    this.#newest += STEP
    this.#oldestForLinking = this.#newest
    this.publish()
  }

  publish(): void {
    this.#published = this.#newest
  }

  accepts({ userAgent, username }: proto.IClientPayload): boolean {
    const oldest = username ? this.#oldestFor.get(String(toNumber(username))) : undefined
    return revisionOf(userAgent) >= Math.max(this.#oldestForLogin, oldest ?? 0)
  }

  /** Whether a phone links the client: its version is recent enough and the same in both fields. */
  links({ userAgent, devicePairingData }: proto.IClientPayload): boolean {
    const revision = revisionOf(userAgent)
    const hash = createHash('md5').update(`${MAJOR}.${MINOR}.${revision}`).digest()
    return revision >= this.#oldestForLinking && hash.equals(devicePairingData?.buildHash ?? Buffer.alloc(0))
  }
}

function revisionOf(userAgent: proto.ClientPayload.IUserAgent | null | undefined): number {
  const { primary, secondary, tertiary } = userAgent?.appVersion ?? {}
  return primary === MAJOR && secondary === MINOR ? (tertiary ?? 0) : 0
}
