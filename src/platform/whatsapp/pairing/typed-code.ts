import { REFRESH_TYPE, refreshSecret } from './refreshed-secret.ts'
import type { LinkingWay, UnpairedConnection } from './unpaired-connection.ts'

const CODE_MS = 160_000
const NO_CODE = 'the platform gives no code for this number now'

/** Shows a code that is typed on the phone of a number. */
export class TypedCode implements LinkingWay {
  readonly notifications
  readonly #connection: UnpairedConnection
  readonly #phone: string
  #isFinishing = false

  constructor(connection: UnpairedConnection, phone: string) {
    this.#connection = connection
    this.#phone = phone
    const refresh = refreshSecret(connection.creds, () => {})
    this.notifications = {
      // Once both sides have derived a secret, the device is linked under that one.
      [REFRESH_TYPE]: (stanza: Parameters<typeof refresh>[0]) => (this.#isFinishing ? 'ours' : refresh(stanza)),
      link_code_companion_reg: () => {
        this.#isFinishing = true
        return 'library' as const
      },
    } as const
  }

  onRefs(): void {
    const { sock, clock, onStep, end } = this.#connection
    const expiresAtMs = clock.now().getTime() + CODE_MS
    sock.requestPairingCode(this.#phone).then(
      code => onStep({ kind: 'code', code, expiresAtMs }),
      () => {
        onStep({ kind: 'trouble', why: NO_CODE })
        end()
      },
    )
  }
}
