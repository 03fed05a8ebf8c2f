import { Curve, DEFAULT_CONNECTION_CONFIG, makeWASocket, type UserFacingSocketConfig, type WASocket } from 'baileys'
import { FrameReader } from '#recorder/frame-reader'
import { catchKeyPair } from './catch-key-pair.ts'
import { type Recorder, recordSocket } from '#recorder/recorder'
import { withSharedStorage } from './shared-storage.ts'

/** The library's socket. It begins to connect at once. */
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
