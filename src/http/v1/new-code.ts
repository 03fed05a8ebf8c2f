import { renewCode } from '../../actions/answer-pairing.ts'
import { route } from '../route.ts'
import { ANSWERS_A_PAIRING, ownPairing, showPairing } from './pairings.ts'

export const askForNewCode = route({
  method: 'POST',
  path: '/v1/pairings/:id/code',
  tag: 'Numbers',
  summary: 'Have another code to type in place of the one that a pairing shows',
  description:
    'Codes renew themselves every three minutes, and when the platform takes one back. Asking for many makes the ' +
    'platform give none for a while: the pairing is then pending, with detail and retry_at.',
  ...ANSWERS_A_PAIRING,
  async handler({ identity, params, gone }, parts) {
    await renewCode(parts, await ownPairing(parts, identity, params.id), gone())
    return showPairing(parts, await ownPairing(parts, identity, params.id))
  },
})
