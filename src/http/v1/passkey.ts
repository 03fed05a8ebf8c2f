import type { Static } from 'typebox'
import { Type } from '../type.ts'
import { submitPasskey, confirmCode } from '../../actions/answer-pairing.ts'
import type { PasskeyAssertion } from '../../domain/passkey.ts'
import { route } from '../route.ts'
import { Nullable, Strict } from '../schemas.ts'
import { ANSWERS_A_PAIRING, ownPairing, showPairing } from './pairings.ts'

const base64url = (maxLength: number, minLength = 1) =>
  Type.String({ pattern: '^[A-Za-z0-9_-]+$', minLength, maxLength, description: 'base64url without padding.' })

const ID = base64url(1_400)

/** In the form of the credential's `toJSON()`. */
export const credential = {
  id: ID,
  rawId: ID,
  type: Type.Literal('public-key'),
  response: Strict({
    clientDataJSON: base64url(8_192),
    authenticatorData: base64url(8_192, 50),
    signature: base64url(1_024, 8),
    userHandle: Type.Optional(Nullable(base64url(128))),
  }),
  authenticatorAttachment: Type.Optional(Nullable(Type.String({ maxLength: 30 }))),
  clientExtensionResults: Type.Optional(
    Type.Object({}, { additionalProperties: true, description: 'The gateway accepts it and ignores it.' }),
  ),
}
const Credential = Strict(credential)

/** Only the fields that the platform gets. */
export function assertionOf({ id, rawId, response }: Static<typeof Credential>): PasskeyAssertion {
  const { clientDataJSON, authenticatorData, signature, userHandle = null } = response
  return { id, rawId, type: 'public-key', response: { clientDataJSON, authenticatorData, signature, userHandle } }
}

export const answerPasskey = route({
  method: 'POST',
  path: '/v1/pairings/:id/passkey',
  tag: 'Numbers',
  summary: 'Submit the passkey signature for a pairing with the status passkey',
  description:
    'The body is the result of `navigator.credentials.get` for `passkey.options` on a page of web.whatsapp.com, as ' +
    '`toJSON()` returns it. Submitting it again changes nothing. If the platform rejects it, the pairing has a new ' +
    'request.',
  ...ANSWERS_A_PAIRING,
  body: Strict({
    ...credential,
    compare_codes: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether a person compares codes afterwards even if the platform does not require it.',
      }),
    ),
  }),
  async handler({ identity, params, body, gone }, deps) {
    const pairing = await ownPairing(deps, identity, params.id)
    const brought = { assertion: assertionOf(body), compareCodes: body.compare_codes ?? false }
    await submitPasskey(deps, pairing, brought, gone())
    return showPairing(deps, await ownPairing(deps, identity, params.id))
  },
})

export const confirmPairing = route({
  method: 'POST',
  path: '/v1/pairings/:id/confirm',
  tag: 'Numbers',
  summary: 'Confirm that the phone shows the same code, for a pairing with the status confirm',
  description: 'If the phone shows another code, cancel the pairing: another person may be trying to link the number.',
  ...ANSWERS_A_PAIRING,
  async handler({ identity, params, gone }, deps) {
    await confirmCode(deps, await ownPairing(deps, identity, params.id), gone())
    return showPairing(deps, await ownPairing(deps, identity, params.id))
  },
})
