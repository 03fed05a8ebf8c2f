import { renewCode } from '../../actions/answer-pairing.ts'
import { route } from '../route.ts'
import { ById } from '../schemas.ts'
import { ownPairing, Pairing, showPairing } from './pairings.ts'

export const askForNewCode = route({
  method: 'POST',
  path: '/v1/pairings/:id/code',
  tag: 'Numbers',
  summary: 'Have another code to type in place of the one that a pairing shows',
  description:
    'Codes renew themselves every three minutes, and when the platform takes one back. Asking for many makes the ' +
    'platform give none for a while: the pairing is then pending, with detail and retry_at.',
  scope: 'manage',
  params: ById,
  status: 200,
  response: Pairing,
  errors: [404, 502],
  work: 'waiting',
  async handler({ identity, params, gone }, parts) {
    await renewCode(parts, await ownPairing(parts, identity, params.id), gone())
    return showPairing(parts, await ownPairing(parts, identity, params.id))
  },
})
