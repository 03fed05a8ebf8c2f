import { createHash } from 'node:crypto'
import { DEFAULT_CONNECTION_CONFIG, type proto, toNumber } from 'baileys'

/** How a page that names the version goes wrong. */
export type VersionPageFault =
  | { readonly kind: 'status'; readonly status: number }
  /** Something that names no version. */
  | { readonly kind: 'garbage' }
  /** A version that is long gone. */
  | { readonly kind: 'older' }
  /** Never an answer. */
  | { readonly kind: 'silence' }

/** What a phone says to its owner. The client hears nothing. */
export const TOO_OLD = 'the phone could not link the device: its version is too old'

export type VersionPage = 'page' | 'list'

const [MAJOR, MINOR, LIBRARY] = DEFAULT_CONNECTION_CONFIG.version
const STEP = 500_000

/** Which versions of the web client the server takes. What comes with the library has aged out. */
export class Versions {
  #newest = LIBRARY + 4 * STEP
  #published = this.#newest
  #oldestForLogin = LIBRARY + STEP
  #oldestForLinking = LIBRARY + 2 * STEP
  /** Of single numbers, by digits. */
  readonly #oldestFor = new Map<string, number>()
  readonly faults = new Map<VersionPage, VersionPageFault>()
  /** How often each page was asked for. */
  readonly asked: Record<VersionPage, number> = { page: 0, list: 0 }

  /** What the pages say. */
  get published(): number {
    return this.#published
  }

  /** Long gone. */
  get older(): number {
    return LIBRARY - STEP
  }

  /** As a client names it. */
  get current(): [number, number, number] {
    return [MAJOR, MINOR, this.#newest]
  }

  /** There is a new one, and it is the only one that is taken; `isPublished` says whether the pages know it. */
  age(isPublished: boolean): void {
    this.#newest += STEP
    this.#oldestForLogin = this.#newest
    this.#oldestForLinking = this.#newest
    if (isPublished) this.publish()
  }

  /** There is a new one, and the number with these digits logs in with no other. */
  ageFor(digits: string): void {
    this.#newest += 1
    this.#oldestFor.set(digits, this.#newest)
    this.publish()
  }

  /** There is a new one, and phones link no other. */
  ageForLinking(): void {
    this.#newest += STEP
    this.#oldestForLinking = this.#newest
    this.publish()
  }

  publish(): void {
    this.#published = this.#newest
  }

  takes({ userAgent, username }: proto.IClientPayload): boolean {
    const oldest = username ? this.#oldestFor.get(String(toNumber(username))) : undefined
    return revisionOf(userAgent) >= Math.max(this.#oldestForLogin, oldest ?? 0)
  }

  /** A phone links a client of a version that is not too old, and that is what it says it is. */
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
