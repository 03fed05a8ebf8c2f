import { Type } from '../type.ts'
import { BOUNDS } from '../../domain/bounds.ts'
import { MAX_COLLECTIONS, type Product } from '../../domain/catalogue.ts'
import { parseContact } from '../../domain/jid.ts'
import { pagesOf } from '../page.ts'
import { route } from '../route.ts'
import { listOf, Nullable, pageQuery, Strict, upTo } from '../schemas.ts'
import { ask } from './session-actions.ts'
import { BySession } from './sessions.ts'

const Text = Nullable(Type.String())
const Amount = Nullable(Type.Integer({ description: 'In thousandths of the currency.' }))

const ProductSchema = Strict({
  id: Type.String(),
  retailer_id: Nullable(Type.String({ description: 'The id that the business has given it.' })),
  name: Type.String(),
  description: Text,
  price_1000: Amount,
  currency: Text,
  url: Text,
  image_url: Text,
  hidden: Type.Boolean(),
  review: Nullable(Type.String({ description: 'Whether the platform has approved it, in its own words.' })),
})

const showProduct = (product: Product) => ({
  id: product.id,
  retailer_id: product.retailerId,
  name: product.name,
  description: product.description,
  price_1000: product.price1000,
  currency: product.currency,
  url: product.url,
  image_url: product.imageUrl,
  hidden: product.isHidden,
  review: product.review,
})

const business = {
  jid: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The JID or the phone number of the business; the number itself if it is missing.',
    }),
  ),
}

const businessIn = ({ jid }: { jid?: string }): string | null => (jid === undefined ? null : parseContact('jid', jid))

export const listProducts = route({
  method: 'GET',
  path: '/v1/sessions/:id/catalog',
  tag: 'Catalogue',
  summary: 'List the products of a business',
  description: 'Those of the number itself, or of the business `jid`. 404 if it has no catalogue.',
  scope: 'read',
  params: BySession,
  // The platform's cursors are longer than ours.
  query: Strict({ ...pageQuery, cursor: Type.Optional(Type.String({ maxLength: 4_000 })), ...business }),
  status: 200,
  work: 'waiting',
  response: listOf(ProductSchema),
  errors: [404, 409, 502],
  async handler({ query, ...incoming }, deps) {
    const pages = pagesOf(deps, incoming.identity, `catalog ${incoming.params.id}`, query)
    const { limit, cursor: after } = pages.request
    const request = { kind: 'catalog_list', jid: businessIn(query), after, limit } as const
    const found = await ask(deps, incoming, request, 'products')
    return { data: found.products.map(showProduct), next_cursor: pages.next(found.after) }
  },
})

export const listCollections = route({
  method: 'GET',
  path: '/v1/sessions/:id/catalog/collections',
  tag: 'Catalogue',
  summary: 'List the collections of a business',
  description: `Up to ${MAX_COLLECTIONS} collections, with up to ${MAX_COLLECTIONS} products each. 404 if the business has no catalogue.`,
  scope: 'read',
  params: BySession,
  query: Strict(business),
  status: 200,
  work: 'waiting',
  response: Strict({
    data: upTo(
      MAX_COLLECTIONS,
      Strict({
        id: Type.String(),
        name: Type.String(),
        review: Text,
        products: upTo(MAX_COLLECTIONS, ProductSchema),
      }),
    ),
  }),
  errors: [404, 409, 502],
  async handler({ query, ...incoming }, deps) {
    const request = { kind: 'catalog_collections', jid: businessIn(query) } as const
    const { collections } = await ask(deps, incoming, request, 'collections')
    return { data: collections.map(each => ({ ...each, products: each.products.map(showProduct) })) }
  },
})

export const showOrder = route({
  method: 'POST',
  path: '/v1/sessions/:id/orders',
  tag: 'Catalogue',
  summary: 'Get what a person has ordered',
  description:
    'Endpoints that include `context` get the `id` and the `token` of an order with the message that places it. Whoever has the token can read the order, so it is in the body and not in the URL.',
  scope: 'read',
  params: BySession,
  body: Strict({
    order_id: Type.String({ minLength: 1, maxLength: 100 }),
    token: Type.String({ minLength: 1, maxLength: 1_000 }),
  }),
  status: 200,
  work: 'waiting',
  response: Strict({
    order_id: Type.String(),
    total_1000: Amount,
    currency: Text,
    products: upTo(
      BOUNDS.orderedProducts,
      Strict({
        id: Type.String(),
        name: Type.String(),
        price_1000: Amount,
        currency: Text,
        quantity: Type.Integer(),
        image_url: Text,
      }),
    ),
  }),
  errors: [404, 409, 502],
  example: { body: { order_id: '700000000000001', token: 'dG9rZW4tb2YtdGhlLW9yZGVyLWZyb20tdGhlLWV2ZW50' } },
  async handler({ body, ...incoming }, deps) {
    const { order_id: orderId, token } = body
    const { order } = await ask(deps, incoming, { kind: 'order_show', orderId, token }, 'order')
    return {
      order_id: orderId,
      total_1000: order.total1000,
      currency: order.currency,
      products: order.products.map(({ id, name, price1000, currency, quantity, imageUrl }) => ({
        id,
        name,
        price_1000: price1000,
        currency,
        quantity,
        image_url: imageUrl,
      })),
    }
  },
})
