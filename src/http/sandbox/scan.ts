import { scanPairing } from '../../actions/scan-pairing.ts'
import { notFound } from '../../domain/errors.ts'
import { route } from '../route.ts'
import { ById } from '../schemas.ts'
import { ownPairing, Pairing, showPairing } from '../v1/pairings.ts'

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
  async handler({ identity, params, gone }, parts) {
    if (!parts.config.sandbox) throw notFound('path')
    const pairing = await ownPairing(parts, identity, params.id)
    await scanPairing(parts, pairing, gone())
    return showPairing(parts, await ownPairing(parts, identity, params.id))
  },
})
