import { randomBytes } from 'node:crypto'
import {
  aesEncryptCTR,
  type AuthenticationCreds,
  type BinaryNode,
  bytesToCrockford,
  Curve,
  derivePairingCodeKey,
  getBinaryNodeChild,
  getCompanionPlatformId,
  jidEncode,
  S_WHATSAPP_NET,
  type WABrowserDescription,
} from 'baileys'
import { bytesIn } from '../wire/child-bytes.ts'
import type { UnpairedConnection } from './unpaired-connection.ts'

export type CodeAnswer =
  /** Notifications about this code have its reference. */
  | { readonly kind: 'given'; readonly code: string; readonly ref: Buffer }
  /** `status`: 0 if the platform gave none. `backoffMs`: how long to wait, if the platform says so. */
  | { readonly kind: 'refused'; readonly status: number; readonly backoffMs: number | undefined }

const CODE_BYTES = 5
const NONCE = Buffer.from([0])
const MAX_BACKOFF_S = 3_600

/**
 * Makes a code and registers it with the platform. The library would return a code before the platform has answered.
 */
export async function requestCode(
  { sock, creds, browser }: Pick<UnpairedConnection, 'sock' | 'creds' | 'browser'>,
  phone: string,
): Promise<CodeAnswer> {
  const code = bytesToCrockford(randomBytes(CODE_BYTES))
  const me = { id: jidEncode(phone, 's.whatsapp.net'), name: '~' }
  Object.assign(creds, { pairingCode: code, pairingEphemeralKeyPair: Curve.generateKeyPair(), me })
  const id = sock.generateMessageTag()
  const content = [await helloOf(creds, browser)]
  const answered = sock.waitForMessage<BinaryNode>(id)
  answered.catch(() => {})
  await sock.sendNode({ tag: 'iq', attrs: { to: S_WHATSAPP_NET, type: 'set', id, xmlns: 'md' }, content })
  return readAnswer(code, await answered)
}

async function helloOf(creds: AuthenticationCreds, browser: WABrowserDescription): Promise<BinaryNode> {
  const [system, name] = browser
  const parts: Record<string, Uint8Array | string> = {
    link_code_pairing_wrapped_companion_ephemeral_pub: await wrappedEphemeral(creds),
    companion_server_auth_key_pub: creds.noiseKey.public,
    companion_platform_id: getCompanionPlatformId(browser),
    // The platform accepts only a common browser on a common system.
    companion_platform_display: `${name} (${system})`,
    link_code_pairing_nonce: NONCE,
  }
  const attrs = { jid: creds.me!.id, stage: 'companion_hello', should_show_push_notification: 'true' }
  const content = Object.entries(parts).map(([tag, content]) => ({ tag, attrs: {}, content }))
  return { tag: 'link_code_companion_reg', attrs, content }
}

async function wrappedEphemeral({ pairingCode, pairingEphemeralKeyPair }: AuthenticationCreds): Promise<Buffer> {
  const [salt, iv] = [randomBytes(32), randomBytes(16)]
  const key = await derivePairingCodeKey(pairingCode!, salt)
  return Buffer.concat([salt, iv, aesEncryptCTR(pairingEphemeralKeyPair.public, key, iv)])
}

function readAnswer(code: string, answer: BinaryNode | undefined): CodeAnswer {
  const ref = refIn(getBinaryNodeChild(answer, 'link_code_companion_reg'))
  if (answer?.attrs.type === 'result' && ref !== undefined) return { kind: 'given', code, ref }
  const error = getBinaryNodeChild(answer, 'error')?.attrs
  const seconds = Number(error?.backoff)
  const backoffMs = seconds > 0 ? Math.min(seconds, MAX_BACKOFF_S) * 1_000 : undefined
  return { kind: 'refused', status: Number(error?.code) || 0, backoffMs }
}

/** The code's reference in a stage of the pairing. */
export function refIn(stage: BinaryNode | undefined): Buffer | undefined {
  return bytesIn(stage, 'link_code_pairing_ref')
}
