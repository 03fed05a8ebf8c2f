import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { BOUNDS } from '../../src/domain/bounds.ts'
import { ask } from '../harness/client.ts'
import { OPERATOR_TOKEN } from '../harness/gateway.ts'
import { type LinkedGateway, openLinkedGateway, type SandboxNumber } from '../harness/linked-gateway.ts'
import { newPlace, type Place, queryPlace } from '../harness/stores.ts'

interface Schema {
  $ref?: string
  type?: string
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  anyOf?: Schema[]
  allOf?: Schema[]
  oneOf?: Schema[]
}
interface Operation {
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>
}
const api = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

interface List {
  path: string
  maxItems: number | undefined
}

/** The lists inside of a response. */
function listsIn(given: Schema | undefined, path = '', depth = 0): List[] {
  const schema = given?.$ref ? api.components.schemas[given.$ref.split('/').at(-1)!] : given
  if (schema === undefined || depth > 12) return []
  const inner = (each: Schema | undefined, at: string): List[] => listsIn(each, at, depth + 1)
  return [
    ...(schema.type === 'array' ? [{ path, maxItems: schema.maxItems }] : []),
    ...inner(schema.items, `${path}[]`),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) => inner(each, `${path}.${name}`)),
    ...[...(schema.anyOf ?? []), ...(schema.allOf ?? []), ...(schema.oneOf ?? [])].flatMap(each => inner(each, path)),
  ]
}

describe('Lists in responses', () => {
  it('have a maximum in the reference, in every route', () => {
    const lists = Object.entries(api.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { responses }]) =>
        Object.entries(responses)
          .filter(([status]) => status.startsWith('2'))
          .flatMap(([, { content = {} }]) => Object.values(content).flatMap(({ schema }) => listsIn(schema)))
          .map(list => ({ ...list, path: `${method.toUpperCase()} ${path} ${list.path}` })),
      ),
    )
    expect(new Set(lists.map(({ path }) => path)).size).toBeGreaterThan(50)
    expect(lists.filter(({ maxItems }) => maxItems === undefined)).toEqual([])
  })
})

const SHOP = '5511970000001'

describe('A response leaves out what is beyond the maximum', () => {
  let place: Place
  let linked: LinkedGateway
  let number: SandboxNumber
  const at = (path: string) => `/v1/sessions/${encodeURIComponent(number.id)}${path}`
  const get = async (path: string) => {
    const answer = await linked.ask('GET', at(path))
    expect(answer.status, answer.text).toBe(200)
    return answer.json
  }
  const many = <T>(n: number, item: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => item(i))

  beforeAll(async () => {
    place = await newPlace('sqlite')
    linked = await openLinkedGateway(place, 1)
    number = linked.numbers[0]!
  })
  afterAll(() => linked.close())

  test('of what the platform says of a business, an order and a post', async () => {
    const shop = linked.simulator.phone(SHOP)
    shop.changeBusiness({
      name: 'Shop',
      websites: many(BOUNDS.websitesShown + 1, i => `https://${i}.example.com`),
      hours: {
        timezone: 'Europe/Berlin',
        days: many(BOUNDS.openingHoursShown + 1, i => ({
          day: 'mon',
          mode: 'specific_hours' as const,
          opens: i,
          closes: i + 1,
        })),
      },
    })
    const { business } = await get(`/contacts/${SHOP}`)
    expect(business.websites).toHaveLength(BOUNDS.websitesShown)
    expect(business.hours.days).toHaveLength(BOUNDS.openingHoursShown)

    const products = many(BOUNDS.orderedProducts + 1, i => ({
      id: `p${i}`,
      name: `Product ${i}`,
      price: 1,
      currency: 'EUR',
    }))
    linked.simulator.phone(number.phone).changeBusiness({ name: 'Ours', products })
    const wanted = Object.fromEntries(products.map(({ id }) => [id, 1]))
    const { orderId, token } = await shop.order(number.phone, wanted)
    const order = await linked.ask('POST', at('/orders'), { order_id: orderId, token })
    expect(order.json.products, order.text).toHaveLength(BOUNDS.orderedProducts)

    const channel = linked.simulator.channel({ name: 'News', owner: SHOP })
    const { serverId } = await channel.post({ type: 'text', text: 'hello' })
    const emoji = Object.fromEntries(
      many(BOUNDS.reactionsShown + 1, i => [String(5_511_980_000_000 + i), String.fromCodePoint(0x1f600 + i)]),
    )
    channel.see(serverId, 200, emoji)
    const posts = await get(`/newsletters/${encodeURIComponent(channel.jid)}/posts`)
    expect(posts.data[0].reactions).toHaveLength(BOUNDS.reactionsShown)
  })

  test('of the members of a group', async () => {
    const members = many(BOUNDS.membersShown, i => String(5_511_990_000_000 + i))
    const group = linked.simulator.group({ subject: 'Town', owner: SHOP, members: [number.phone, ...members] })
    const shown = await get(`/groups/${encodeURIComponent(group.jid)}`)
    expect(shown.members).toHaveLength(BOUNDS.membersShown)
    expect(group.members().length).toBeGreaterThan(BOUNDS.membersShown)
  })

  test('of labels, codes of refusals, leases and nodes that are stored', async () => {
    const fill = (into: string, values: string, n: number) =>
      queryPlace(
        place,
        `insert into ${into} select ${values} from (with recursive c(n) as (select 1 union all select n + 1 from c where n < ${n}) select n from c) returning 1`,
      )
    const today = Math.floor(Date.now() / 86_400_000)
    const chat = `${SHOP}@s.whatsapp.net`
    await get('/chats')
    await linked.ask('PATCH', at(`/chats/${SHOP}`), { pinned: true })
    await fill(
      'chat_labels (session_id, jid, label)',
      `'${number.jid}', '${chat}', 'label' || n`,
      BOUNDS.labelsOfChat + 1,
    )
    expect((await get(`/chats/${SHOP}`)).labels).toHaveLength(BOUNDS.labelsOfChat)

    await fill(
      'refusals (session_id, code, day, n, last_at)',
      `'${number.jid}', n, ${today}, 1, 1`,
      BOUNDS.refusalCodes + 1,
    )
    expect((await get('/health')).refusals.codes).toHaveLength(BOUNDS.refusalCodes)

    await fill(
      'nodes (id, roles, address, version, listens, clock_ahead_ms, started_at, seen_at)',
      `'gone' || n, 'api', '', '', '', 0, 1, ${Date.now()}`,
      BOUNDS.nodesShown + 1,
    )
    await fill(
      'leases (kind, id, owner, epoch, pool, changed_at)',
      `'session', 'none' || n, null, 1, null, 1`,
      BOUNDS.leasesShown + 1,
    )
    const overview = await ask(linked.address().url, 'GET', '/operator/overview', { key: OPERATOR_TOKEN })
    expect(overview.json.nodes, overview.text.slice(0, 200)).toHaveLength(BOUNDS.nodesShown)
    expect(overview.json.leases).toHaveLength(BOUNDS.leasesShown)
  })
})
