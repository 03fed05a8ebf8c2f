import { buildPairingQRData } from 'baileys'
import { REFRESH_TYPE, refreshSecret } from './refreshed-secret.ts'
import type { LinkingMethod, UnpairedConnection } from './unpaired-connection.ts'

const FIRST_MS = 60_000
const NEXT_MS = 20_000

/** How long the code of a connection's nth reference is shown; the platform accepts it for about as long. */
export const shownMs = (nth: number): number => (nth === 0 ? FIRST_MS : NEXT_MS)

/** Shows the references of a connection one after the other, each with the current secret. */
export class QrCodes implements LinkingMethod {
  readonly notifications
  readonly #connection: UnpairedConnection
  #shown: { readonly ref: string; readonly expiresAtMs: number } | undefined
  /** Aborted when newer references replace the current ones. */
  #rotation = new AbortController()

  constructor(connection: UnpairedConnection) {
    this.#connection = connection
    this.notifications = { [REFRESH_TYPE]: refreshSecret(connection.creds, () => this.#draw()) }
  }

  onRefs(refs: string[]): void {
    this.#rotation.abort()
    this.#rotation = new AbortController()
    void this.#rotate(refs, AbortSignal.any([this.#rotation.signal, this.#connection.over]))
  }

  async #rotate(refs: string[], signal: AbortSignal): Promise<void> {
    const { clock, usedUp } = this.#connection
    for (const [nth, ref] of refs.entries()) {
      const ms = shownMs(nth)
      this.#shown = { ref, expiresAtMs: clock.now().getTime() + ms }
      this.#draw()
      await clock.sleep(ms, signal)
      if (signal.aborted) return
    }
    usedUp()
  }

  #draw(): void {
    if (this.#shown === undefined) return
    const { creds, browser, onStep } = this.#connection
    const { ref, expiresAtMs } = this.#shown
    const [noiseKey, identityKey] = [creds.noiseKey, creds.signedIdentityKey].map(base64OfPublic)
    const qr = buildPairingQRData(ref, noiseKey!, identityKey!, creds.advSecretKey, browser)
    onStep({ kind: 'qr', qr, expiresAtMs })
  }
}

const base64OfPublic = (pair: { public: Uint8Array }): string => Buffer.from(pair.public).toString('base64')
