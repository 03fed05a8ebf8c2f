import {
  Curve,
  DEFAULT_CONNECTION_CONFIG,
  type KeyPair,
  makeWASocket,
  type UserFacingSocketConfig,
  type WASocket,
} from 'baileys'
import { FrameReader } from '#recorder/frame-reader'
import { type Recorder, recordSocket } from '#recorder/recorder'
import { withSharedStorage } from './shared-storage.ts'

/** Opens the library's socket, which begins to connect immediately. */
export function openSocket(config: UserFacingSocketConfig & { recorder?: Recorder | undefined }): WASocket {
  const { recorder, ...rest } = config
  const make = (): WASocket => withSharedStorage(() => makeWASocket(rest))
  if (recorder === undefined) return make()
  const [sock, ephemeral] = catchKeyPair(Curve, make)
  if (ephemeral !== undefined) {
    const reader = new FrameReader(
      ephemeral,
      config.auth.creds.noiseKey,
      rest.logger ?? DEFAULT_CONNECTION_CONFIG.logger,
    )
    recordSocket(sock, recorder.begin(config), reader)
  }
  return sock
}

/** Captures the key pair that the library generates for a connection. */
function catchKeyPair<T>(curve: typeof Curve, make: () => T): [T, KeyPair | undefined] {
  const original = curve.generateKeyPair
  let caught: KeyPair | undefined
  curve.generateKeyPair = () => {
    const made = original()
    caught ??= made
    return made
  }
  try {
    return [make(), caught]
  } finally {
    curve.generateKeyPair = original
  }
}
