import type { UserFacingSocketConfig } from 'baileys'
import type { LinkedDevice } from '../../platform.ts'
import { type Ending, endingOf, isOutdated } from '../link/ending.ts'
import { closeQuickly } from '../link/hold-frames.ts'
import { decodeCreds } from '../device/key-codec.ts'
import { createMemoryKeys } from '../device/memory-keys.ts'
import { openSocket } from '../engine/open-socket.ts'
import type { PairingDeps } from './attempt.ts'
import { requestRemoval } from './unlink.ts'

const RETRY_MS = 500

/** Logs in as a device that was just linked, and removes it on the platform. */
export async function discardDevice(deps: PairingDeps, device: LinkedDevice, signal: AbortSignal): Promise<void> {
  const keys = createMemoryKeys(device.keys)
  const creds = decodeCreds(device.creds)
  for (;;) {
    signal.throwIfAborted()
    const { config, versions, clock } = deps
    const { revision } = versions.current
    const ending = await attempt({ ...config, auth: { creds, keys: keys.store } }, signal)
    if (ending.kind === 'logged_out') return
    if (isOutdated(ending) && (await versions.findNewer(revision))) continue
    if (ending.kind === 'paused' || ending.kind === 'refused') throw new Error(`not removed: ${ending.reason}`)
    await clock.sleep(RETRY_MS, signal)
  }
}

/** Runs one connection. Its ending shows whether the device is removed. */
function attempt(config: UserFacingSocketConfig, signal: AbortSignal): Promise<Ending> {
  const sock = openSocket(config)
  closeQuickly(sock)
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      void sock.end(undefined)
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', abort, { once: true })
    let removed = false
    sock.ev.on('connection.update', ({ connection, lastDisconnect }) => {
      if (connection === 'open')
        void requestRemoval(sock).then(answered => {
          removed = answered
          void sock.end(undefined)
        })
      if (connection !== 'close') return
      signal.removeEventListener('abort', abort)
      resolve(removed ? { kind: 'logged_out', reason: 'removed' } : endingOf(lastDisconnect?.error, 0))
    })
  })
}
