import { type BinaryNode, getBinaryNodeChild } from 'baileys'
import { PairingRefused } from '../../platform.ts'
import type { CodePatience } from './code-patience.ts'
import { type CodeAnswer, refIn, requestCode } from './code-request.ts'
import { REFRESH_TYPE, refreshSecret } from './refreshed-secret.ts'
import type { LinkingWay, UnpairedConnection } from './unpaired-connection.ts'
import type { Handled } from './unpaired-stanzas.ts'

const LASTS_MS = 180_000
/** A phone that has the code is not sent another one at once. */
const FINISHING_MS = 30_000

interface Shown {
  readonly ref: Buffer
  /** Aborted when the platform has taken the code back. */
  readonly gone: AbortController
  /** When a phone has last said that it has the code; the secret is then the one that both have derived. */
  typedAtMs: number | undefined
}

/** Shows codes that are typed on the phone of a number, one after the other, each when the platform has taken it. */
export class TypedCode implements LinkingWay {
  readonly notifications
  readonly #connection: UnpairedConnection
  readonly #phone: string
  readonly #patience: CodePatience
  readonly #stopped = new AbortController()
  readonly #over: AbortSignal
  #shown: Shown | undefined
  #isBegun = false

  constructor(connection: UnpairedConnection, phone: string, patience: CodePatience) {
    this.#connection = connection
    this.#phone = phone
    this.#patience = patience
    this.#over = AbortSignal.any([this.#stopped.signal, connection.over])
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
    void this.#show().catch(() => this.#connection.sock.end(undefined))
  }

  stop(): void {
    this.#stopped.abort()
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
      if (this.#over.aborted) return
      const expiresAtMs = this.#nowMs() + LASTS_MS
      const answer = await requestCode(this.#connection, this.#phone)
      if (this.#over.aborted) return
      if (answer.kind === 'given') await this.#showOne(answer, expiresAtMs)
      else this.#refused(answer)
    }
  }

  async #showOne({ code, ref }: CodeAnswer & { kind: 'given' }, expiresAtMs: number): Promise<void> {
    const shown: Shown = { ref, gone: new AbortController(), typedAtMs: undefined }
    this.#shown = shown
    this.#patience.given()
    this.#connection.onStep({ kind: 'code', code, expiresAtMs })
    const isOver = AbortSignal.any([this.#over, shown.gone.signal])
    await this.#sleepUntil(expiresAtMs, isOver)
    await this.#sleepUntil((shown.typedAtMs ?? 0) + FINISHING_MS, isOver)
    if (this.#over.aborted) return
    this.#shown = undefined
    this.#connection.onStep({ kind: 'renewing' })
  }

  #refused({ status, backoffMs }: CodeAnswer & { kind: 'refused' }): void {
    const refusal = this.#patience.refused(status, backoffMs, this.#nowMs())
    if (refusal.kind === 'end') this.#connection.refuse(new PairingRefused(refusal.why))
  }

  /** Also of what was said on the connection before. */
  async #bePatient(): Promise<void> {
    const trouble = this.#patience.troubleAt(this.#nowMs())
    if (trouble === undefined) return
    this.#connection.onStep({ kind: 'trouble', why: trouble.why, retryAtMs: trouble.untilMs })
    await this.#sleepUntil(trouble.untilMs, this.#over)
  }

  async #sleepUntil(atMs: number, signal: AbortSignal): Promise<void> {
    const ms = atMs - this.#nowMs()
    if (ms > 0) await this.#connection.clock.sleep(ms, signal)
  }

  #nowMs(): number {
    return this.#connection.clock.now().getTime()
  }
}
