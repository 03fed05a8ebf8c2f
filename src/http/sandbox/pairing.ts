import { scanPairing } from '../../actions/scan-pairing.ts'
import { ownPairing, Pairing, showPairing } from '../v1/pairings.ts'
import { Type } from 'typebox'
import { useSandboxPasskey } from '../../actions/use-sandbox-passkey.ts'
import { notFound } from '../../domain/errors.ts'
import { route } from '../route.ts'
import { ById, Strict } from '../schemas.ts'
import { credential } from '../v1/passkey.ts'

export const scanInSandbox = route({
  method: 'POST',
  path: '/sandbox/pairings/:id/scan',
  tag: 'Sandbox',
  summary: 'The sandbox phone scans the QR code that a pairing shows, or is given its code',
  description:
    'For pairings that were begun with `platform: "sandbox"`. The answer is the pairing as it stands; it is linked when ' +
    'the worker has taken the number over.',
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
  summary: 'The sandbox’s software passkey signs what a pairing asks for, or its phone shows the code to compare',
  description:
    'For pairings with `platform: "sandbox"` of numbers that have a passkey: those that end in 7277539. With the status ' +
    'passkey the answer has the `assertion`, to be brought with POST /v1/pairings/{id}/passkey; with the status confirm ' +
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
