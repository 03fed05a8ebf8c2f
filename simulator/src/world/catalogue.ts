/** What a business sells. */
export interface Product {
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly retailerId?: string
  /** In thousandths of the currency. */
  readonly price?: number
  readonly currency?: string
  readonly url?: string
  readonly image?: string
  readonly hidden?: boolean
}

export interface ProductCollection {
  readonly id: string
  readonly name: string
  /** Ids of its products. */
  readonly products: readonly string[]
}

/** What somebody has ordered of a business. The token opens it. */
export interface Order {
  readonly id: string
  readonly token: string
  readonly currency: string
  readonly items: readonly { readonly product: Product; readonly quantity: number }[]
}
