import { scanPairing } from '../../actions/scan-pairing.ts'
import { ownPairing, Pairing, showPairing } from '../v1/pairings.ts'
import { Type } from '../type.ts'
import { useSandboxPasskey } from '../../actions/use-sandbox-passkey.ts'
import { notFound } from '../../domain/errors.ts'
import { route } from '../route.ts'
import { ById, Strict } from '../schemas.ts'
import { credential } from '../v1/passkey.ts'

export const scanInSandbox = route({
  method: 'POST',
  path: '/sandbox/pairings/:id/scan',
  tag: 'Sandbox',
  summary: 'Scan the QR code of a pairing with the sandbox phone, or type its code',
  description:
    'Use it for pairings that you started with `platform: "sandbox"`. The response has the current state of the pairing. The number is linked when ' +
    'a worker has taken it over.',
  scope: 'manage',
  params: ById,
  status: 202,
  response: Pairing,
  errors: [404, 502],
  async handler({ identity, params, gone }, deps) {
    if (!deps.config.sandbox) throw notFound('path')
    const pairing = await ownPairing(deps, identity, params.id)
    await scanPairing(deps, pairing, gone())
    return showPairing(deps, await ownPairing(deps, identity, params.id))
  },
})

export const signInSandbox = route({
  method: 'POST',
  path: '/sandbox/pairings/:id/passkey',
  tag: 'Sandbox',
  summary: 'Sign the passkey request of a pairing in the sandbox, or get the code to compare',
  description:
    'Use it for pairings with `platform: "sandbox"` of numbers that have a passkey: those that end in 7277539. With the status ' +
    'passkey, the response has the `assertion` for POST /v1/pairings/{id}/passkey. With the status confirm, ' +
    'it has the `code` that the sandbox phone shows.',
  scope: 'manage',
  params: ById,
  status: 200,
  response: Strict({
    assertion: Type.Optional(Strict(credential)),
    code: Type.Optional(Type.String()),
  }),
  errors: [404, 502],
  async handler({ identity, params, gone }, deps) {
    if (!deps.config.sandbox) throw notFound('path')
    return await useSandboxPasskey(deps, await ownPairing(deps, identity, params.id), gone())
  },
})
