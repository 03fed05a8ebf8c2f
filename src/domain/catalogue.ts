/** Amounts are in thousandths of the currency. */
export interface Product {
  id: string
  retailerId: string | null
  name: string
  description: string | null
  price1000: number | null
  currency: string | null
  url: string | null
  imageUrl: string | null
  isHidden: boolean
  /** Whether the platform has approved it, in the platform's words. */
  review: string | null
}

export interface ProductCollection {
  id: string
  name: string
  review: string | null
  products: Product[]
}

export interface OrderedProduct {
  id: string
  name: string
  price1000: number | null
  currency: string | null
  quantity: number
  imageUrl: string | null
}

export interface OrderDetails {
  total1000: number | null
  currency: string | null
  products: OrderedProduct[]
}

/** The platform's own apps show no more collections on one screen, and no more products in one. */
export const MAX_COLLECTIONS = 20
