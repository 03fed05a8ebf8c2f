import { Type } from 'typebox'
import { addSandboxNumber } from '../../actions/add-sandbox-number.ts'
import { parsePhone } from '../../domain/jid.ts'
import { route } from '../route.ts'
import { OneOf, Strict } from '../schemas.ts'
import { requireAllSessions } from './pairings.ts'
import { SessionSchema, showSession } from './sessions.ts'

export const createSandboxSession = route({
  method: 'POST',
  path: '/v1/sessions',
  tag: 'Numbers',
  summary: 'Add a sandbox number, linked and connected: everything works on it, nothing leaves the machine',
  description: 'Real numbers are linked with POST /v1/pairings.',
  scope: 'manage',
  body: Strict({
    platform: OneOf(['sandbox'] as const),
    phone: Type.Optional(Type.String({ maxLength: 30, description: 'Begins with 999; made up when absent.' })),
    label: Type.Optional(Type.String({ maxLength: 100 })),
  }),
  status: 201,
  response: SessionSchema,
  errors: [502],
  example: { body: { platform: 'sandbox', label: 'Tests' } },
  async handler({ identity, body }, parts) {
    requireAllSessions(identity)
    const phone = body.phone === undefined ? null : parsePhone('phone', body.phone)
    const request = { accountId: identity.account.id, phone, label: body.label ?? '' }
    return showSession(parts, await addSandboxNumber(parts, request))
  },
})
