import { type BinaryNode, getBinaryNodeChild } from 'baileys'
import { Deferred } from '../../../runtime/deferred.ts'
import { pairingFailure, PairingRefused, type PairingStep } from '../../platform.ts'
import type { CodeBackoff } from './code-backoff.ts'
import { type CodeAnswer, refIn, requestCode } from './code-request.ts'
import { REFRESH_TYPE, refreshSecret } from './refreshed-secret.ts'
import type { LinkingMethod, UnpairedConnection } from './unpaired-connection.ts'
import type { Handled } from './unpaired-stanzas.ts'

const LASTS_MS = 180_000
/** After a phone has the code, it gets this long before the next code replaces it. */
const FINISHING_MS = 30_000

/** The least time between two codes: the platform soon rejects a client that requests many. */
const RENEW_MS = 5_000

const TOO_SOON = 'this code is only a few seconds old: wait before you request another'

interface Shown {
  readonly ref: Buffer
  readonly sinceMs: number
  /** Aborted when the platform has revoked the code, or the user requests another. */
  readonly ended: AbortController
  /** Resolved when the step after this code was reported, or none can follow. */
  readonly followed: Deferred<void>
  /** When a phone last confirmed that it has the code; the secret is then the one that both derived. */
  typedAtMs: number | undefined
}

/** Shows codes for typing on the phone of a number, one after the other, each when the platform has accepted it. */
export class TypedCode implements LinkingMethod {
  readonly notifications
  readonly #connection: UnpairedConnection
  readonly #phone: string
  readonly #codeBackoff: CodeBackoff
  #shown: Shown | undefined
  /** `followed` of the code that was shown last. */
  #followed: Deferred<void> | undefined
  #isBegun = false

  constructor(connection: UnpairedConnection, phone: string, codeBackoff: CodeBackoff) {
    this.#connection = connection
    this.#phone = phone
    this.#codeBackoff = codeBackoff
    const refresh = refreshSecret(connection.creds, () => {})
    this.notifications = {
      [REFRESH_TYPE]: (stanza: BinaryNode): Handled =>
        this.#shown?.typedAtMs === undefined ? refresh(stanza) : 'ours',
      link_code_companion_reg: (stanza: BinaryNode) => this.#receive(stanza),
    }
  }

  onRefs(): void {
    if (this.#isBegun) return
    this.#isBegun = true
    this.#connection.over.addEventListener('abort', () => this.#followed?.resolve(), { once: true })
    void this.#show().catch(() => this.#connection.sock.end(undefined))
  }

  /** The library responds to a phone that has the code; a notification about another code is ignored. */
  #receive(stanza: BinaryNode): Handled {
    const stage = getBinaryNodeChild(stanza, 'link_code_companion_reg')
    const shown = this.#shown
    if (shown === undefined || !refIn(stage)?.equals(shown.ref)) return 'ours'
    if (stage?.attrs.stage === 'refresh_code') shown.ended.abort()
    if (stage?.attrs.stage !== 'primary_hello') return 'ours'
    shown.typedAtMs = this.#nowMs()
    return 'library'
  }

  async #show(): Promise<void> {
    for (;;) {
      await this.#waitIfRejected()
      if (this.#isOver) return
      const expiresAtMs = this.#nowMs() + LASTS_MS
      const answer = await requestCode(this.#connection, this.#phone)
      if (this.#isOver) return
      if (answer.kind === 'given') await this.#showOne(answer, expiresAtMs)
      else this.#refused(answer)
    }
  }

  async #showOne({ code, ref }: CodeAnswer & { kind: 'given' }, expiresAtMs: number): Promise<void> {
    const shown: Shown = {
      ref,
      sinceMs: this.#nowMs(),
      ended: new AbortController(),
      followed: new Deferred(),
      typedAtMs: undefined,
    }
    this.#shown = shown
    this.#codeBackoff.given()
    this.#report({ kind: 'code', code, expiresAtMs, renew: () => this.#renew(shown) })
    this.#followed = shown.followed
    const isOver = AbortSignal.any([this.#connection.over, shown.ended.signal])
    await this.#sleepUntil(expiresAtMs, isOver)
    if (shown.typedAtMs !== undefined && !isOver.aborted) await this.#sleepUntil(shown.typedAtMs + FINISHING_MS, isOver)
    if (this.#isOver) return
    this.#shown = undefined
    this.#connection.onStep({ kind: 'renewing' })
  }

  async #renew({ sinceMs, ended, followed }: Shown): Promise<void> {
    if (this.#nowMs() - sinceMs < RENEW_MS) throw pairingFailure(TOO_SOON)
    ended.abort()
    if (!this.#isOver) await followed.promise
  }

  #refused({ status, backoffMs }: CodeAnswer & { kind: 'refused' }): void {
    const refusal = this.#codeBackoff.refused(status, backoffMs, this.#nowMs())
    if (refusal.kind === 'end') this.#connection.refuse(new PairingRefused(refusal.why))
  }

  /** Also after a rejection on an earlier connection. */
  async #waitIfRejected(): Promise<void> {
    const wait = this.#codeBackoff.waitAt(this.#nowMs())
    if (wait === undefined) return
    this.#report({ kind: 'trouble', why: wait.why, retryAtMs: wait.untilMs })
    await this.#sleepUntil(wait.untilMs, this.#connection.over)
  }

  /** Reports a step that follows a code; `renewing` does not count as one. */
  #report(step: PairingStep): void {
    this.#connection.onStep(step)
    this.#followed?.resolve()
  }

  get #isOver(): boolean {
    return this.#connection.over.aborted
  }

  async #sleepUntil(atMs: number, signal: AbortSignal): Promise<void> {
    const ms = atMs - this.#nowMs()
    if (ms > 0) await this.#connection.clock.sleep(ms, signal)
  }

  #nowMs(): number {
    return this.#connection.clock.now().getTime()
  }
}
