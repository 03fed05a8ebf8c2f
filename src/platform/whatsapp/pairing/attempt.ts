import {
  type AuthenticationCreds,
  DEFAULT_CONNECTION_CONFIG,
  initAuthCreds,
  jidDecode,
  type SignalKeyStore,
  type UserFacingSocketConfig,
  type WASocket,
} from 'baileys'
import type { Clock } from '../../../runtime/clock.ts'
import { digitsOf, withoutDevice } from '../../../domain/jid.ts'
import type { KeyChange, LinkedDevice, PairingRefused, PairingRequest, PairingStep } from '../../platform.ts'
import { encodeCreds } from '../device/key-codec.ts'
import { createMemoryKeys } from '../device/memory-keys.ts'
import { openSocket } from '../engine/open-socket.ts'
import { endingOf, isOutdated } from '../link/ending.ts'
import { closeQuickly } from '../link/hold-frames.ts'
import { storePairs } from '../remembered/pairs.ts'
import type { ClientVersions } from '../version/client-versions.ts'
import type { CodeBackoff } from './code-backoff.ts'
import { PasskeyCeremony } from './passkey/passkey-ceremony.ts'
import { QrCodes } from './qr-codes.ts'
import { TypedCode } from './typed-code.ts'
import type { LinkingMethod, UnpairedConnection } from './unpaired-connection.ts'
import { handleUnpaired } from './unpaired-stanzas.ts'

const UNREACHABLE = 'the platform cannot be reached'

export interface PairingDeps {
  clock: Clock
  config: Omit<UserFacingSocketConfig, 'auth'>
  versions: ClientVersions
  /** Numbers that have a passkey may be linked with it. */
  passkey: boolean
}

/** What all connections of a pairing share. */
export interface PairingRun {
  readonly request: PairingRequest
  readonly codeBackoff: CodeBackoff
  onStep(step: PairingStep): void
}

/** One connection of a pairing, with separate keys, until a phone has accepted or the connection ends. */
export class PairingAttempt {
  readonly #clock: Clock
  readonly #onStep: (step: PairingStep) => void
  readonly #creds = initAuthCreds()
  readonly #keys = createMemoryKeys()
  readonly #sock: WASocket
  readonly #over = new AbortController()
  #hasReported = false
  #isAccepted = false
  #isUsedUp = false
  #isOutdated = false
  #whyClosed = UNREACHABLE
  #refusal: PairingRefused | undefined

  constructor(deps: PairingDeps, { request, codeBackoff, onStep }: PairingRun) {
    const { clock, config, passkey } = deps
    this.#clock = clock
    this.#onStep = onStep
    this.#sock = openSocket({ ...config, auth: { creds: this.#creds, keys: this.#keys.store } })
    closeQuickly(this.#sock)
    const connection: UnpairedConnection = {
      clock,
      sock: this.#sock,
      creds: this.#creds,
      browser: config.browser ?? DEFAULT_CONNECTION_CONFIG.browser,
      over: this.#over.signal,
      onStep: step => this.#report(step),
      usedUp: () => {
        this.#isUsedUp = true
        void this.#sock.end(undefined)
      },
      refuse: why => this.#refuse(why),
    }
    const ceremony = new PasskeyCeremony(connection, passkey)
    const before = untilPasskey(connection, ceremony.begun)
    const method = request.method === 'qr' ? new QrCodes(before) : new TypedCode(before, request.phone, codeBackoff)
    const notifications = { ...ignoredAfter(method.notifications, ceremony.begun), ...ceremony.notifications }
    handleUnpaired(this.#sock, { onRefs: refs => method.onRefs(refs), notifications })
  }

  /** It has shown all its codes: the next connection gets new ones. */
  get isUsedUp(): boolean {
    return this.#isUsedUp
  }

  /** The platform no longer accepts the version of this connection. */
  get isOutdated(): boolean {
    return this.#isOutdated
  }

  /** Resolves with `undefined` if no phone has accepted. */
  outcome(signal: AbortSignal): Promise<LinkedDevice | undefined> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        void this.#sock.end(undefined)
        // A phone that has accepted lists the device by now: the caller needs it to remove it again.
        if (!this.#isAccepted) reject(signal.reason as Error)
      }
      signal.addEventListener('abort', abort, { once: true })
      this.#sock.ev.on('connection.update', ({ isNewLogin, connection, lastDisconnect }) => {
        if (isNewLogin) this.#accept()
        if (connection !== 'close') return
        signal.removeEventListener('abort', abort)
        const ending = endingOf(lastDisconnect?.error, 0)
        this.#isOutdated = isOutdated(ending)
        if (ending.kind === 'proxy') this.#whyClosed = ending.reason
        if (this.#refusal) reject(this.#refusal)
        else resolve(this.#closed(signal))
      })
    })
  }

  #report(step: PairingStep): void {
    if (this.#over.signal.aborted) return
    this.#hasReported = true
    this.#onStep(step)
  }

  #refuse(why: PairingRefused): void {
    if (this.#isAccepted) return
    this.#refusal ??= why
    this.#over.abort()
    void this.#sock.end(undefined)
  }

  #accept(): void {
    this.#isAccepted = true
    this.#report({ kind: 'scanned' })
    this.#over.abort()
  }

  /** After accepting, the platform ends the connection and expects a login: the credentials are complete. */
  #closed(signal: AbortSignal): LinkedDevice | undefined {
    if (this.#isAccepted) {
      storeOwnLid(this.#creds, this.#keys.store, this.#clock.now().getTime())
      return linkedDevice(this.#creds, this.#keys.all())
    }
    if (!signal.aborted && !this.#isOutdated)
      this.#report(this.#hasReported ? { kind: 'renewing' } : { kind: 'trouble', why: this.#whyClosed })
    this.#over.abort()
    return undefined
  }
}

/**
 * The library learns the number's own hidden identifier only during the first login, and then looks for the phone's
 * Signal session under it, although the phone's first messages began that session under the number.
 */
function storeOwnLid({ me }: AuthenticationCreds, keys: SignalKeyStore, atMs: number): void {
  const [phone, lid] = [jidDecode(me?.id)?.user, jidDecode(me?.lid)?.user]
  if (phone && lid) void storePairs(keys, { [lid]: { phone, source: 'pairing', atMs } })
}

function linkedDevice(creds: AuthenticationCreds, keys: KeyChange[]): LinkedDevice {
  const id = creds.me?.id ?? ''
  const device = Number(/:(\d+)@/.exec(id)?.[1] ?? 0)
  return { sessionId: withoutDevice(id), device, phone: digitsOf(id), creds: encodeCreds(creds), keys }
}

/** The connection for showing codes, which is over when the platform requests the passkey. */
function untilPasskey(connection: UnpairedConnection, begun: AbortSignal): UnpairedConnection {
  return {
    ...connection,
    over: AbortSignal.any([connection.over, begun]),
    onStep: step => {
      if (!begun.aborted) connection.onStep(step)
    },
    usedUp: () => {
      if (!begun.aborted) connection.usedUp()
    },
    refuse: why => {
      if (!begun.aborted) connection.refuse(why)
    },
  }
}

/**
 * The notifications for showing codes: after the passkey request they are confirmed and change nothing, above all not
 * the secret.
 */
function ignoredAfter(
  notifications: LinkingMethod['notifications'],
  begun: AbortSignal,
): LinkingMethod['notifications'] {
  const handlers = Object.entries(notifications).map(([type, handle]): [string, typeof handle] => [
    type,
    stanza => (begun.aborted ? 'ours' : handle(stanza)),
  ])
  return Object.fromEntries(handlers)
}
