import {
  type AuthenticationCreds,
  initAuthCreds,
  jidDecode,
  type SignalKeyStore,
  type UserFacingSocketConfig,
} from 'baileys'
import { digitsOf, withoutDevice } from '../../../domain/jid.ts'
import type { KeyChange, LinkedDevice, PairingRequest, PairingStep } from '../../platform.ts'
import { closeQuickly } from '../link/hold-frames.ts'
import { encodeCreds } from '../device/key-codec.ts'
import { createMemoryKeys } from '../device/memory-keys.ts'
import { openSocket } from '../engine/open-socket.ts'

// How long the library shows the first code of a connection, and how long all of them together.
const FIRST_QR_MS = 60_000
const NEXT_QR_MS = 20_000
const CODE_MS = FIRST_QR_MS + 5 * NEXT_QR_MS
const RETRY_MS = 2_000
const UNREACHABLE = 'the platform cannot be reached'
const NO_CODE = 'the platform gives no code for this number now'

/** Links a new device. Codes run out and are renewed until the phone accepts or the signal ends it. */
export async function pair(
  config: Omit<UserFacingSocketConfig, 'auth'>,
  request: PairingRequest,
  onStep: (step: PairingStep) => void,
  signal: AbortSignal,
): Promise<LinkedDevice> {
  for (;;) {
    signal.throwIfAborted()
    const linked = await attempt(config, request, onStep, signal)
    if (linked) return linked
    await new Promise(resolve => setTimeout(resolve, RETRY_MS))
  }
}

/** One connection that shows codes until they run out; `undefined` then. */
function attempt(
  config: Omit<UserFacingSocketConfig, 'auth'>,
  request: PairingRequest,
  onStep: (step: PairingStep) => void,
  signal: AbortSignal,
): Promise<LinkedDevice | undefined> {
  const creds = initAuthCreds()
  const keys = createMemoryKeys()
  const sock = openSocket({ ...config, auth: { creds, keys: keys.store } })
  closeQuickly(sock)
  return new Promise((resolve, reject) => {
    let shown = 0
    let accepted = false
    const abort = (): void => {
      void sock.end(undefined)
      // A phone that has accepted has a device in its list by now: whoever asked has to know it to give it back.
      if (!accepted) reject(signal.reason as Error)
    }
    signal.addEventListener('abort', abort, { once: true })
    const finish = (linked: LinkedDevice | undefined): void => {
      signal.removeEventListener('abort', abort)
      resolve(linked)
    }
    const show = (qr: string): void => {
      shown += 1
      const now = Date.now()
      if (request.method === 'qr')
        return onStep({ kind: 'qr', qr, expiresAtMs: now + (shown === 1 ? FIRST_QR_MS : NEXT_QR_MS) })
      if (shown > 1) return
      sock.requestPairingCode(request.phone).then(
        code => onStep({ kind: 'code', code, expiresAtMs: now + CODE_MS }),
        () => {
          onStep({ kind: 'trouble', why: NO_CODE })
          void sock.end(undefined)
        },
      )
    }
    sock.ev.on('connection.update', ({ qr, isNewLogin, connection }) => {
      if (qr) show(qr)
      if (isNewLogin) {
        accepted = true
        onStep({ kind: 'scanned' })
      }
      // After accepting, the platform ends the connection and expects a login: the credentials are complete.
      if (connection !== 'close') return
      if (accepted) knowOwnLid(creds, keys.store)
      else if (shown === 0 && !signal.aborted) onStep({ kind: 'trouble', why: UNREACHABLE })
      finish(accepted ? linkedDevice(creds, keys.all()) : undefined)
    })
  })
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
