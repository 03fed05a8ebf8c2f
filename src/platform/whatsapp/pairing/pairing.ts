import {
  type AuthenticationCreds,
  initAuthCreds,
  jidDecode,
  type SignalKeyStore,
  type UserFacingSocketConfig,
  type WASocket,
} from 'baileys'
import type { Clock } from '../../../clock.ts'
import { digitsOf, withoutDevice } from '../../../domain/jid.ts'
import type { KeyChange, LinkedDevice, PairingRequest, PairingStep } from '../../platform.ts'
import { encodeCreds } from '../device/key-codec.ts'
import { createMemoryKeys } from '../device/memory-keys.ts'
import { openSocket } from '../engine/open-socket.ts'
import { closeQuickly } from '../link/hold-frames.ts'

// How long the library shows the first code of a connection, and how long all of them together.
const FIRST_QR_MS = 60_000
const NEXT_QR_MS = 20_000
const CODE_MS = FIRST_QR_MS + 5 * NEXT_QR_MS
const RETRY_MS = 2_000
const UNREACHABLE = 'the platform cannot be reached'
const NO_CODE = 'the platform gives no code for this number now'

export interface PairingParts {
  clock: Clock
  config: Omit<UserFacingSocketConfig, 'auth'>
}

/** Links a new device. Codes run out and are renewed until the phone accepts or the signal ends it. */
export async function pair(
  parts: PairingParts,
  request: PairingRequest,
  onStep: (step: PairingStep) => void,
  signal: AbortSignal,
): Promise<LinkedDevice> {
  for (;;) {
    signal.throwIfAborted()
    const linked = await new PairingAttempt(parts, request, onStep).outcome(signal)
    if (linked) return linked
    await parts.clock.sleep(RETRY_MS, signal)
  }
}

/** One connection that shows codes until they run out. */
class PairingAttempt {
  readonly #clock: Clock
  readonly #request: PairingRequest
  readonly #onStep: (step: PairingStep) => void
  readonly #creds = initAuthCreds()
  readonly #keys = createMemoryKeys()
  readonly #sock: WASocket
  #shown = 0
  #isAccepted = false

  constructor({ clock, config }: PairingParts, request: PairingRequest, onStep: (step: PairingStep) => void) {
    this.#clock = clock
    this.#request = request
    this.#onStep = onStep
    this.#sock = openSocket({ ...config, auth: { creds: this.#creds, keys: this.#keys.store } })
    closeQuickly(this.#sock)
  }

  /** `undefined` where its codes have run out. */
  outcome(signal: AbortSignal): Promise<LinkedDevice | undefined> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        void this.#sock.end(undefined)
        // A phone that has accepted has a device in its list by now: whoever asked has to know it to give it back.
        if (!this.#isAccepted) reject(signal.reason as Error)
      }
      signal.addEventListener('abort', abort, { once: true })
      this.#sock.ev.on('connection.update', ({ qr, isNewLogin, connection }) => {
        if (qr) this.#show(qr)
        if (isNewLogin) this.#accept()
        if (connection !== 'close') return
        signal.removeEventListener('abort', abort)
        resolve(this.#closed(signal))
      })
    })
  }

  #show(qr: string): void {
    this.#shown += 1
    const nowMs = this.#clock.now().getTime()
    if (this.#request.method === 'qr') {
      const lastsMs = this.#shown === 1 ? FIRST_QR_MS : NEXT_QR_MS
      this.#onStep({ kind: 'qr', qr, expiresAtMs: nowMs + lastsMs })
    } else if (this.#shown === 1) this.#askForCode(this.#request.phone, nowMs + CODE_MS)
  }

  #askForCode(phone: string, expiresAtMs: number): void {
    this.#sock.requestPairingCode(phone).then(
      code => this.#onStep({ kind: 'code', code, expiresAtMs }),
      () => {
        this.#onStep({ kind: 'trouble', why: NO_CODE })
        void this.#sock.end(undefined)
      },
    )
  }

  #accept(): void {
    this.#isAccepted = true
    this.#onStep({ kind: 'scanned' })
  }

  /** After accepting, the platform ends the connection and expects a login: the credentials are complete. */
  #closed(signal: AbortSignal): LinkedDevice | undefined {
    if (this.#isAccepted) {
      knowOwnLid(this.#creds, this.#keys.store)
      return linkedDevice(this.#creds, this.#keys.all())
    }
    if (this.#shown === 0 && !signal.aborted) this.#onStep({ kind: 'trouble', why: UNREACHABLE })
    return undefined
  }
}

/**
 * The library learns which hidden id is our own only in the middle of the first login, and then looks for the phone's
 * Signal session under it, although the phone's first messages have made it under the number.
 */
function knowOwnLid({ me }: AuthenticationCreds, keys: SignalKeyStore): void {
  const [pn, lid] = [jidDecode(me?.id)?.user, jidDecode(me?.lid)?.user]
  if (pn && lid) void keys.set({ 'lid-mapping': { [pn]: lid, [`${lid}_reverse`]: pn } })
}

function linkedDevice(creds: AuthenticationCreds, keys: KeyChange[]): LinkedDevice {
  const id = creds.me?.id ?? ''
  const device = Number(/:(\d+)@/.exec(id)?.[1] ?? 0)
  return { sessionId: withoutDevice(id), device, phone: digitsOf(id), creds: encodeCreds(creds), keys }
}
