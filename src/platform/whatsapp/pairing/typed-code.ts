import { type BinaryNode, getBinaryNodeChild } from 'baileys'
import { Deferred } from '../../../runtime/deferred.ts'
import { pairingFailure, PairingRefused, type PairingStep } from '../../platform.ts'
import type { CodePatience } from './code-patience.ts'
import { type CodeAnswer, refIn, requestCode } from './code-request.ts'
import { REFRESH_TYPE, refreshSecret } from './refreshed-secret.ts'
import type { LinkingWay, UnpairedConnection } from './unpaired-connection.ts'
import type { Handled } from './unpaired-stanzas.ts'

const LASTS_MS = 180_000
/** A phone that has the code is not sent another one at once. */
const FINISHING_MS = 30_000

/** Nobody needs codes faster, and the platform soon gives none to whoever asks for many. */
const RENEW_MS = 5_000

const TOO_SOON = 'this code was shown just now: wait a few seconds before you ask for another'

interface Shown {
  readonly ref: Buffer
  readonly sinceMs: number
  /** Aborted when the platform has taken the code back, or somebody wants another. */
  readonly gone: AbortController
  /** Settled when whoever watches was told what came after it, or nothing can. */
  readonly followed: Deferred<void>
  /** When a phone has last said that it has the code; the secret is then the one that both have derived. */
  typedAtMs: number | undefined
}

/** Shows codes that are typed on the phone of a number, one after the other, each when the platform has taken it. */
export class TypedCode implements LinkingWay {
  readonly notifications
  readonly #connection: UnpairedConnection
  readonly #phone: string
  readonly #patience: CodePatience
  #shown: Shown | undefined
  /** Of the code that was shown last. */
  #followed: Deferred<void> | undefined
  #isBegun = false

  constructor(connection: UnpairedConnection, phone: string, patience: CodePatience) {
    this.#connection = connection
    this.#phone = phone
    this.#patience = patience
    const refresh = refreshSecret(connection.creds, () => {})
    this.notifications = {
      [REFRESH_TYPE]: (stanza: BinaryNode): Handled =>
        this.#shown?.typedAtMs === undefined ? refresh(stanza) : 'ours',
      link_code_companion_reg: (stanza: BinaryNode) => this.#hear(stanza),
    }
  }

  onRefs(): void {
    if (this.#isBegun) return
    this.#isBegun = true
    this.#connection.over.addEventListener('abort', () => this.#followed?.resolve(), { once: true })
    void this.#show().catch(() => this.#connection.sock.end(undefined))
  }

  /** The library answers a phone that has the code; whatever is about another reaches nobody. */
  #hear(stanza: BinaryNode): Handled {
    const said = getBinaryNodeChild(stanza, 'link_code_companion_reg')
    const shown = this.#shown
    if (shown === undefined || !refIn(said)?.equals(shown.ref)) return 'ours'
    if (said?.attrs.stage === 'refresh_code') shown.gone.abort()
    if (said?.attrs.stage !== 'primary_hello') return 'ours'
    shown.typedAtMs = this.#nowMs()
    return 'library'
  }

  async #show(): Promise<void> {
    for (;;) {
      await this.#bePatient()
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
      gone: new AbortController(),
      followed: new Deferred(),
      typedAtMs: undefined,
    }
    this.#shown = shown
    this.#patience.given()
    this.#tell({ kind: 'code', code, expiresAtMs, renew: () => this.#renew(shown) })
    this.#followed = shown.followed
    const isOver = AbortSignal.any([this.#connection.over, shown.gone.signal])
    await this.#sleepUntil(expiresAtMs, isOver)
    if (shown.typedAtMs !== undefined && !isOver.aborted) await this.#sleepUntil(shown.typedAtMs + FINISHING_MS, isOver)
    if (this.#isOver) return
    this.#shown = undefined
    this.#connection.onStep({ kind: 'renewing' })
  }

  async #renew({ sinceMs, gone, followed }: Shown): Promise<void> {
    if (this.#nowMs() - sinceMs < RENEW_MS) throw pairingFailure(TOO_SOON)
    gone.abort()
    if (!this.#isOver) await followed.promise
  }

  #refused({ status, backoffMs }: CodeAnswer & { kind: 'refused' }): void {
    const refusal = this.#patience.refused(status, backoffMs, this.#nowMs())
    if (refusal.kind === 'end') this.#connection.refuse(new PairingRefused(refusal.why))
  }

  /** Also of what was said on the connection before. */
  async #bePatient(): Promise<void> {
    const trouble = this.#patience.troubleAt(this.#nowMs())
    if (trouble === undefined) return
    this.#tell({ kind: 'trouble', why: trouble.why, retryAtMs: trouble.untilMs })
    await this.#sleepUntil(trouble.untilMs, this.#connection.over)
  }

  /** What follows a code; that it is being renewed is nothing to wait for. */
  #tell(step: PairingStep): void {
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
