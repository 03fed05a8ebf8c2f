import { randomBytes } from 'node:crypto'
import { type BinaryNode, Curve, proto, S_WHATSAPP_NET } from 'baileys'
import { getOwn } from '../../../../runtime/get-own.ts'
import type { PasskeyAssertion, PasskeyOptions } from '../../../../domain/passkey.ts'
import { pairingFailure, PairingRefused, type PlatformError } from '../../../platform.ts'
import { bytesIn } from '../../wire/child-bytes.ts'
import type { UnpairedConnection } from '../unpaired-connection.ts'
import type { Handled } from '../unpaired-stanzas.ts'
import {
  encryptedPairingRequest,
  handoffKey,
  handoffProof,
  pairingKey,
  type PrimaryIdentity,
  prologuePayload,
  readPrimaryIdentity,
  verificationCode,
} from './ceremony-crypto.ts'
import { optionsRequest, refRequest, optionsIn, keysStanza, nonceStanza, prologueStanza } from './ceremony-stanzas.ts'

const HANDOFF_MS = 300_000
const ASSERTION_MS = 600_000
const CONTINUATION_MS = 60_000
const CONFIRM_MS = 180_000
const QUERY_MS = 8_000
/** Each rejection requests a new challenge, which is valid for ten more minutes. */
const MAX_REFUSALS = 5

/** Why a pairing with a passkey has failed, and what the user can do. */
const NOT_ALLOWED =
  'this number can be linked only with its passkey, and this gateway has passkeys turned off: ' +
  'its operator can turn them on (POSTERN_PASSKEY=on)'
const NO_OPTIONS = 'the platform requires the passkey of this number, but sent no request to sign: start again'
const NO_ASSERTION = 'the passkey was not used in time: start again'
const NO_CONTINUATION =
  'the platform accepted the passkey, but the phone did not continue: keep WhatsApp open on the phone, and start again'
const NO_PHONE_KEY = 'the phone sent an answer that the gateway cannot read: start again'
const NOT_CONFIRMED = 'the codes were not confirmed in time: start again'
const NO_PAIR_SUCCESS = 'the phone did not link the device after the passkey: start again'
const BROKEN_OFF = 'the platform closed the connection after it had requested the passkey: start again'
const REFUSED_TOO_OFTEN =
  'the platform refused the passkey five times: check that it belongs to this number, and start again'

/** This device's part of one attempt. */
interface Companion {
  readonly keys: { readonly public: Uint8Array; readonly private: Uint8Array }
  readonly nonce: Buffer
  readonly deviceType: number
  readonly ref: string
  readonly isProven: boolean
}

/**
 * Links a number that has a passkey. After the phone has scanned the code, the platform requests a passkey assertion
 * for a challenge, which the user provides; then the phone and this device agree on a key, under which this device
 * sends its keys and a new secret. Until then the secret of the codes stays in use, so that an abandoned attempt has no
 * effect.
 */
export class PasskeyCeremony {
  readonly notifications: Readonly<Record<string, (stanza: BinaryNode) => Handled>>
  readonly #connection: UnpairedConnection
  readonly #isAllowed: boolean
  readonly #begun = new AbortController()
  readonly #advSecret = randomBytes(32)
  #handoff: { readonly key: Buffer; readonly untilMs: number } | undefined
  #companion: Companion | undefined
  #answering: Promise<void> | undefined
  #confirming: Promise<void> | undefined
  #refusals = 0
  #isContinued = false
  #deadline = new AbortController()

  /** `isAllowed`: whether numbers of this network may be linked with a passkey. */
  constructor(connection: UnpairedConnection, isAllowed: boolean) {
    this.#connection = connection
    this.#isAllowed = isAllowed
    this.notifications = {
      passkey_prologue_request: stanza => this.#receive(stanza, () => this.#begin(stanza)),
      crsc_continuation: stanza => this.#receive(stanza, () => this.#continue(stanza)),
    }
  }

  /** Aborted when the platform requests the passkey: codes are of no use any more. */
  get begun(): AbortSignal {
    return this.#begun.signal
  }

  /** The platform continues only after the confirmation, so the work begins after this function returns. */
  #receive({ attrs }: BinaryNode, work: () => Promise<void>): Handled {
    if (attrs.from !== S_WHATSAPP_NET) return 'ours'
    void Promise.resolve()
      .then(work)
      .catch(() => this.#end(BROKEN_OFF))
    return 'ours'
  }

  async #begin(stanza: BinaryNode): Promise<void> {
    const { creds, clock } = this.#connection
    this.#handoff ??= {
      key: handoffKey(Buffer.from(creds.advSecretKey, 'base64')),
      untilMs: clock.monotonicMs() + HANDOFF_MS,
    }
    this.#begun.abort()
    if (!this.#isAllowed) return this.#end(NOT_ALLOWED)
    this.#requestAssertion(optionsIn(stanza) ?? (await this.#fetchOptions()))
  }

  async #fetchOptions(): Promise<PasskeyOptions | undefined> {
    return optionsIn(await this.#query(optionsRequest()))
  }

  #requestAssertion(options: PasskeyOptions | undefined): void {
    if (options === undefined) return this.#end(NO_OPTIONS)
    const lastsMs = lastsMsOf(options)
    this.#wait(lastsMs, NO_ASSERTION)
    const answer = (assertion: PasskeyAssertion, compareCodes: boolean): Promise<void> =>
      (this.#answering ??= this.#answer(assertion, compareCodes))
    this.#connection.onStep({ kind: 'passkey', options, expiresAtMs: this.#fromNow(lastsMs), answer })
  }

  async #answer(assertion: PasskeyAssertion, compareCodes: boolean): Promise<void> {
    try {
      await this.#sendPrologue(assertion, compareCodes)
    } catch (error) {
      this.#companion = undefined
      this.#refusals += 1
      if (this.#refusals >= MAX_REFUSALS) {
        this.#end(REFUSED_TOO_OFTEN)
        throw pairingFailure(REFUSED_TOO_OFTEN)
      }
      this.#answering = undefined
      // A challenge is valid for one attempt.
      await this.#fetchOptions().then(
        options => this.#requestAssertion(options),
        () => this.#end(NO_OPTIONS),
      )
      throw notTaken(error)
    }
  }

  async #sendPrologue(assertion: PasskeyAssertion, compareCodes: boolean): Promise<void> {
    const { clock, browser } = this.#connection
    const deviceType = deviceTypeOf(browser[1])
    const ref = bytesIn(await this.#query(refRequest()), 'ref')?.toString('utf8')
    if (!ref) throw new Error('no reference')
    const keys = Curve.generateKeyPair()
    const nonce = randomBytes(32)
    const payload = prologuePayload({ publicKey: keys.public, deviceType, ref }, nonce)
    const handoff = this.#handoff!
    const isProven = !compareCodes && clock.monotonicMs() < handoff.untilMs
    const companion = { keys, nonce, deviceType, ref, isProven }
    // The phone may respond before the platform does.
    this.#companion = companion
    const proof = isProven ? handoffProof(handoff.key, payload) : undefined
    await this.#query(prologueStanza({ assertion, payload, proof }))
    if (!this.#isContinued) this.#accepted()
  }

  /** The platform has accepted the assertion. */
  #accepted(): void {
    this.#wait(CONTINUATION_MS, NO_CONTINUATION)
    this.#connection.onStep({ kind: 'scanned' })
  }

  async #continue(stanza: BinaryNode): Promise<void> {
    const companion = this.#companion
    if (companion === undefined || this.#isContinued) return
    this.#isContinued = true
    this.#accepted()
    const primary = readPrimaryIdentity(bytesIn(stanza, 'primary_ephemeral_identity') ?? new Uint8Array())
    if (primary === undefined) return this.#end(NO_PHONE_KEY)
    await this.#query(nonceStanza(companion.nonce))
    if (companion.isProven) return await this.#sendKeys(companion, primary)
    this.#wait(CONFIRM_MS, NOT_CONFIRMED)
    const confirm = (): Promise<void> => (this.#confirming ??= this.#confirmed(companion, primary))
    const code = verificationCode(companion.nonce, primary)
    this.#connection.onStep({ kind: 'confirm', code, expiresAtMs: this.#fromNow(CONFIRM_MS), confirm })
  }

  async #confirmed(companion: Companion, primary: PrimaryIdentity): Promise<void> {
    try {
      this.#connection.onStep({ kind: 'scanned' })
      await this.#sendKeys(companion, primary)
    } catch {
      this.#end(BROKEN_OFF)
      throw pairingFailure(BROKEN_OFF)
    }
  }

  async #sendKeys(companion: Companion, primary: PrimaryIdentity): Promise<void> {
    const { creds } = this.#connection
    this.#wait(CONTINUATION_MS, NO_PAIR_SUCCESS)
    const secret = Curve.sharedKey(companion.keys.private, primary.publicKey)
    const key = pairingKey(secret, { ...companion, publicKey: companion.keys.public })
    const request = encryptedPairingRequest(key, randomBytes(12), {
      noiseKey: creds.noiseKey.public,
      identityKey: creds.signedIdentityKey.public,
      advSecret: this.#advSecret,
    })
    creds.advSecretKey = this.#advSecret.toString('base64')
    await this.#query(keysStanza(request))
  }

  /** The library returns undefined on a timeout. */
  async #query(stanza: BinaryNode): Promise<BinaryNode> {
    const answer = (await this.#connection.sock.query(stanza, QUERY_MS)) as BinaryNode | undefined
    if (answer === undefined) throw new Error('no answer')
    return answer
  }

  #fromNow(ms: number): number {
    return this.#connection.clock.now().getTime() + ms
  }

  /** Replaces the current deadline. */
  #wait(ms: number, why: string): void {
    this.#deadline.abort()
    const deadline = new AbortController()
    this.#deadline = deadline
    const over = AbortSignal.any([deadline.signal, this.#connection.over])
    void this.#connection.clock.sleep(ms, over).then(() => {
      if (!over.aborted) this.#end(why)
    })
  }

  #end(why: string): void {
    this.#deadline.abort()
    this.#connection.refuse(new PairingRefused(why))
  }
}

/** The platform's timeout, limited to its usual one. */
function lastsMsOf({ timeout }: PasskeyOptions): number {
  return typeof timeout === 'number' && timeout > 0 ? Math.min(timeout, ASSERTION_MS) : ASSERTION_MS
}

/** The device type that the library registers this device as. */
function deviceTypeOf(browser: string): number {
  const types = proto.DeviceProps.PlatformType as unknown as Record<string, number>
  const name = browser.toUpperCase()
  return (name === 'ANDROID' ? types.ANDROID_PHONE : getOwn(types, name)) || proto.DeviceProps.PlatformType.CHROME
}

/** The error for the user who provided the assertion. */
function notTaken(error: unknown): PlatformError {
  const { data } = (error ?? {}) as { data?: unknown }
  const code = typeof data === 'number' ? ` (${data})` : ''
  return pairingFailure(
    `the platform refused the passkey${code}: use it again, for the new request that the pairing shows now`,
  )
}
