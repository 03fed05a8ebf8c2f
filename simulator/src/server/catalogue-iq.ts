import { randomBytes } from 'node:crypto'
import { userByJid } from '../people.ts'
import { type BinaryNode, child, node, textOf } from '../wire/node.ts'
import type { Order, Product } from '../world/catalogue.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import type { Business } from '../world/profile.ts'
import { profileTo } from './face.ts'
import { IqError } from './iq-error.ts'

/** Answers what a business sells, page by page, or how it groups that. People who sell nothing have no catalogue. */
export function answerCatalogue(network: Network, { digits }: LinkedDevice, iq: BinaryNode): BinaryNode[] {
  const asked = child(iq, 'product_catalog') ?? child(iq, 'collections')
  if (iq.attrs.type !== 'get' || !asked) throw new IqError(400, 'bad-request')
  const person = userByJid(network, asked.attrs.jid ?? asked.attrs.biz_jid)
  const business = person && profileTo(person, digits).business
  if (!business?.products) throw new IqError(404, 'item-not-found')
  return [asked.tag === 'collections' ? collectionsNode(business, asked) : productsNode(business, asked)]
}

function productsNode({ products = [] }: Business, asked: BinaryNode): BinaryNode {
  const isOwn = (product: Product): boolean => product.hidden !== true
  const [limit, after] = [limitIn(asked, 'limit'), textOf(child(asked, 'after'))]
  const shown = products.filter(isOwn)
  const from = after === '' ? 0 : shown.findIndex(({ id }) => id === after) + 1
  const page = shown.slice(from, from + limit)
  const isLast = from + limit >= shown.length
  const paging = isLast ? [] : [node('paging', {}, [text('after', page.at(-1)!.id)])]
  return node('product_catalog', {}, [...page.map(productNode), ...paging])
}

function collectionsNode({ products = [], collections = [] }: Business, asked: BinaryNode): BinaryNode {
  const [most, mostItems] = [limitIn(asked, 'collection_limit'), limitIn(asked, 'item_limit')]
  const found = collections.slice(0, most).map(({ id, name, products: ids }) => {
    const items = products.filter(product => ids.includes(product.id)).slice(0, mostItems)
    const status = node('status_info', {}, [text('status', 'APPROVED'), text('can_appeal', 'false')])
    return node('collection', {}, [text('id', id), text('name', name), ...items.map(productNode), status])
  })
  return node('collections', {}, found)
}

function limitIn(asked: BinaryNode, tag: string): number {
  const limit = Number(textOf(child(asked, tag)))
  if (!Number.isInteger(limit) || limit < 1) throw new IqError(400, 'bad-request')
  return limit
}

const text = (tag: string, value: string): BinaryNode => node(tag, {}, Buffer.from(value))
const given = (tag: string, value: string | number | undefined): BinaryNode[] =>
  value === undefined ? [] : [text(tag, String(value))]

function productNode(product: Product): BinaryNode {
  const image =
    product.image &&
    node('image', {}, [text('request_image_url', product.image), text('original_image_url', product.image)])
  return node('product', { is_hidden: product.hidden ? 'true' : 'false' }, [
    text('id', product.id),
    text('name', product.name),
    ...given('description', product.description),
    ...given('retailer_id', product.retailerId),
    ...given('price', product.price),
    ...given('currency', product.currency),
    ...given('url', product.url),
    node('media', {}, image ? [image] : []),
    node('status_info', {}, [text('status', 'APPROVED')]),
  ])
}

/** Answers what somebody has ordered, to whoever has the token of the order. */
export function answerOrder(network: Network, _device: LinkedDevice, iq: BinaryNode): BinaryNode[] {
  const asked = child(iq, 'order')
  if (iq.attrs.type !== 'get' || asked?.attrs.op !== 'get') throw new IqError(400, 'bad-request')
  const order = network.orders.get(asked.attrs.id ?? '')
  if (!order) throw new IqError(404, 'item-not-found')
  if (textOf(child(asked, 'token')) !== order.token) throw new IqError(403, 'forbidden')
  return [orderNode(order)]
}

function orderNode({ id, currency, items }: Order): BinaryNode {
  const products = items.map(({ product, quantity }) =>
    node('product', {}, [
      text('id', product.id),
      text('name', product.name),
      ...(product.image ? [node('image', {}, [text('url', product.image)])] : []),
      ...given('price', product.price),
      ...given('currency', product.currency),
      text('quantity', String(quantity)),
    ]),
  )
  const price = node('price', {}, [text('total', String(totalOf(items))), text('currency', currency)])
  return node('order', { id }, [...products, price])
}

export const totalOf = (items: Order['items']): number =>
  items.reduce((sum, { product, quantity }) => sum + (product.price ?? 0) * quantity, 0)

const MAX_ORDERS = 1_000

/** Somebody orders products of a business, by their ids. */
export function makeOrder(network: Network, { products = [] }: Business, wanted: ReadonlyMap<string, number>): Order {
  const items = products.flatMap(product => {
    const quantity = wanted.get(product.id)
    return quantity === undefined ? [] : [{ product, quantity }]
  })
  const currency = items[0]?.product.currency ?? 'EUR'
  const id = String(network.orders.size + 700_000_000_000_001)
  const order = { id, token: randomBytes(24).toString('base64'), currency, items }
  if (network.orders.size >= MAX_ORDERS) network.orders.delete(network.orders.keys().next().value!)
  network.orders.set(order.id, order)
  return order
}
