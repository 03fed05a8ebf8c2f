import { Type } from '../type.ts'
import { CALL_MEDIA } from '../../domain/call.ts'
import { route } from '../route.ts'
import { OneOf, Strict } from '../schemas.ts'
import { ask } from './session-actions.ts'
import { BySession } from './sessions.ts'

export const rejectCall = route({
  method: 'POST',
  path: '/v1/sessions/:id/calls/:call_id/reject',
  tag: 'Numbers',
  summary: 'Reject a call that is ringing',
  description:
    'The `call` event of the offer has the `call_id`. 404 if no such call rings: it has ended, another device has answered it, or it began before the gateway was last started.',
  scope: 'send',
  params: Strict({ ...BySession.properties, call_id: Type.String({ description: 'The id of the call.' }) }),
  status: 200,
  response: Strict({ call_id: Type.String(), rejected: Type.Boolean() }),
  errors: [404, 409, 502],
  async handler(incoming, deps) {
    const { call_id: callId } = incoming.params
    await ask(deps, incoming, { kind: 'call_reject', callId }, 'done')
    return { call_id: callId, rejected: true }
  },
})

export const createCallLink = route({
  method: 'POST',
  path: '/v1/sessions/:id/calls/links',
  tag: 'Numbers',
  summary: 'Create a link to a call',
  description:
    'People who open the link join a call on WhatsApp; the phone of the number is one that they can call. Each request creates another link.',
  scope: 'send',
  params: BySession,
  body: Strict({ media: OneOf(CALL_MEDIA) }),
  status: 201,
  response: Strict({ url: Type.String(), token: Type.String(), media: OneOf(CALL_MEDIA) }),
  errors: [409, 502],
  example: { body: { media: 'video' } },
  async handler({ body, ...incoming }, deps) {
    const { url, token } = await ask(deps, incoming, { kind: 'call_link', media: body.media }, 'call_link')
    return { url, token, media: body.media }
  },
})
