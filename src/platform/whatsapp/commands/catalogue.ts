import type { WASocket } from 'baileys'
import { BOUNDS } from '../../../domain/bounds.ts'
import { MAX_COLLECTIONS, type Product } from '../../../domain/catalogue.ts'
import type { CatalogueRequest, CommandResult } from '../../../domain/command.ts'
import { answerIn, refused } from '../errors.ts'
import { failureOf } from '../remembered/contact-queries.ts'
import { openConnection, type SessionContext } from '../session-context.ts'

type Of<Kind extends CatalogueRequest['kind']> = Extract<CatalogueRequest, { kind: Kind }>

/** What a business sells. */
export async function listProducts(
  context: SessionContext,
  { jid, after, limit }: Of<'catalog_list'>,
): Promise<CommandResult> {
  const { sock } = openConnection(context)
  const about = { jid: await businessOf(context, jid), limit, ...(after !== null && { cursor: after }) }
  const { products, nextPageCursor } = await sock.getCatalog(about).catch(explain('the catalogue'))
  return { kind: 'products', products: products.slice(0, limit).map(readProduct), after: nextPageCursor || null }
}

/** How a business groups what it sells. */
export async function listCollections(
  context: SessionContext,
  { jid }: Of<'catalog_collections'>,
): Promise<CommandResult> {
  const { sock } = openConnection(context)
  const business = await businessOf(context, jid)
  const found = await sock.getCollections(business, MAX_COLLECTIONS).catch(explain('the catalogue'))
  const collections = found.collections.slice(0, MAX_COLLECTIONS).map(({ id, name, status, products }) => ({
    id: id || '',
    name: name || '',
    review: status?.status || null,
    products: products.slice(0, MAX_COLLECTIONS).map(readProduct),
  }))
  return { kind: 'collections', collections }
}

/** What a person has ordered. */
export async function showOrder(context: SessionContext, { orderId, token }: Of<'order_show'>): Promise<CommandResult> {
  const { sock } = openConnection(context)
  const { price, products } = await sock.getOrderDetails(orderId, token).catch(explain('the order'))
  return {
    kind: 'order',
    order: {
      total1000: amountOf(price.total),
      currency: price.currency || null,
      products: products
        .slice(0, BOUNDS.orderedProducts)
        .map(({ id, name, price: each, currency, quantity, imageUrl }) => ({
          id: id || '',
          name: name || '',
          price1000: amountOf(each),
          currency: currency || null,
          quantity: amountOf(quantity) ?? 0,
          imageUrl: imageUrl || null,
        })),
    },
  }
}

const businessOf = async ({ sessionId, lids }: SessionContext, jid: string | null): Promise<string> =>
  jid === null ? sessionId : ((await lids.phoneOf(jid)) ?? jid)

const NOT_FOUND = new Set([401, 403, 404, 410])

const explain =
  (what: string) =>
  (error: unknown): never => {
    const code = answerIn(error)
    throw code !== undefined && NOT_FOUND.has(code)
      ? refused(`${what} does not exist, or the number may not see it`, 'not_found')
      : failureOf(error)
  }

type LibraryProduct = Awaited<ReturnType<WASocket['getCatalog']>>['products'][number]

/** The library makes NaN of a missing number and leaves out missing texts, whatever its types say. */
function readProduct(product: LibraryProduct): Product {
  return {
    id: product.id || '',
    retailerId: product.retailerId || null,
    name: product.name || '',
    description: product.description || null,
    price1000: amountOf(product.price),
    currency: product.currency || null,
    url: product.url || null,
    imageUrl: product.imageUrls?.original || product.imageUrls?.requested || null,
    isHidden: product.isHidden === true,
    review: product.reviewStatus?.whatsapp || null,
  }
}

const amountOf = (value: number): number | null => (Number.isSafeInteger(value) && value >= 0 ? value : null)
