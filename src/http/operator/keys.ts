import { Type } from 'typebox'
import { mintKey, SCOPES } from '../../domain/api-key.ts'
import { notFound } from '../../domain/errors.ts'
import { operatorRoute } from '../route.ts'
import { OneOf, Strict } from '../schemas.ts'

export const createAccountKey = operatorRoute({
  method: 'POST',
  path: '/operator/accounts/:id/keys',
  tag: 'Operator',
  summary: 'Create an API key for an account, for example when it has lost its own',
  description: 'The key is shown this once.',
  params: Strict({ id: Type.String() }),
  body: Strict({
    label: Type.String({ minLength: 1, maxLength: 100 }),
    scopes: Type.Optional(Type.Array(OneOf(SCOPES), { minItems: 1, maxItems: 3 })),
  }),
  status: 201,
  response: Strict({ id: Type.String(), key: Type.String(), label: Type.String() }),
  errors: [404],
  example: { body: { label: 'recovery' } },
  async handler({ params, body }, { store }) {
    if ((await store.accounts.getAccount(params.id)) === undefined) throw notFound('account')
    const scopes = [...new Set(body.scopes ?? SCOPES)]
    const { key, stored } = mintKey({ label: body.label, scopes, sessionIds: null })
    await store.keys.createKey({ accountId: params.id, key: stored, maxKeys: null })
    return { id: stored.id, key, label: stored.label }
  },
})
