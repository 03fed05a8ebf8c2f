import { Type } from '../type.ts'
import { conflicting, invalid } from '../../domain/errors.ts'
import { dayOf } from '../../runtime/token-bucket.ts'
import { route } from '../route.ts'
import { Strict, upTo } from '../schemas.ts'

const DAY_MS = 86_400_000
const MAX_DAYS = 400
const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'A day in UTC, such as 2026-01-31.' })

export const getUsage = route({
  method: 'GET',
  path: '/v1/usage',
  tag: 'Account',
  summary: 'Get the usage per day',
  description:
    'Days are in UTC. The counts are messages accepted, sent, failed and received, and deliveries. `accepted` counts each message once, without repeated or rejected requests.',
  scope: 'read',
  query: Strict({ from: Type.Optional(Day), to: Type.Optional(Day) }),
  status: 200,
  response: Strict({
    data: upTo(
      MAX_DAYS + 1,
      Strict({
        day: Type.String(),
        accepted: Type.Integer(),
        sent: Type.Integer(),
        failed: Type.Integer(),
        received: Type.Integer(),
        deliveries: Type.Integer(),
      }),
    ),
  }),
  async handler({ identity, query }, { store, clock }) {
    const now = clock.now().getTime()
    const to = checkedDay('to', query.to ?? dayOf(now))
    const from = checkedDay('from', query.from ?? dayOf(Date.parse(to) - 30 * DAY_MS))
    if (from > to) throw conflicting('from must not be after to', 'from')
    if (Date.parse(to) - Date.parse(from) > MAX_DAYS * DAY_MS)
      throw invalid(`from and to must not be more than ${MAX_DAYS} days apart`, 'from')
    return { data: await store.usage.readUsage({ accountId: identity.account.id, from, to }) }
  },
})

function checkedDay(field: string, day: string): string {
  const ms = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(ms) || dayOf(ms) !== day) throw invalid(`${field} must be a day such as 2026-01-31`, field)
  return day
}
