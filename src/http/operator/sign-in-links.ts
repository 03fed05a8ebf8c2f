import { Type } from 'typebox'
import { makeSignInLink } from '../../actions/first-start.ts'
import { notFound } from '../../domain/errors.ts'
import { operatorRoute } from '../route.ts'
import { Strict } from '../schemas.ts'

export const createSignInLink = operatorRoute({
  method: 'POST',
  path: '/operator/sign-in-links',
  tag: 'Operator',
  summary: 'A link that signs in to the portal, once, within an hour',
  description: 'Of the user of an account, else of the operator of the first start. It ends the link before it.',
  body: Strict({ account_id: Type.Optional(Type.String({ maxLength: 100 })) }),
  status: 201,
  response: Strict({ url: Type.String(), email: Type.String() }),
  errors: [404],
  example: { body: {} },
  async handler({ body }, { store, publicUrl }) {
    const made = await makeSignInLink({ store }, body.account_id)
    if (made === null) throw notFound('user')
    return { url: `${publicUrl()}/sign-in#${made.token}`, email: made.email }
  },
})
