// The documents that a handler written by hand makes of the rows of its statements: what the
// library sends for the same request.

/**
 * @typedef {Record<string, any>} SqlRow
 * @typedef {(results: SqlRow[][]) => object} MakeDocument
 *   gets the rows of each statement
 */

/** @type {MakeDocument} */
export const itemDocument = ([rows]) => ({ sale: saleOf(rows?.[0] ?? {}) })

/** @type {MakeDocument} */
export const salesDocument = ([sales = []]) => ({ sales: sales.map(saleOf) })

/** @type {MakeDocument} */
export const totalDocument = ([sales = [], count = []]) => ({
  sales: sales.map(saleOf),
  meta: { page: { total: Number(count[0]?.total) } },
})

/** @type {MakeDocument} */
export const sumsDocument = ([sales = [], sums = []]) => ({
  sales: sales.map(saleOf),
  meta: { aggregates: aggregatesOf(sums[0] ?? {}) },
})

/** @type {MakeDocument} */
export const facetDocument = ([sales = [], counts = []]) => ({
  sales: sales.map(saleOf),
  meta: {
    facets: {
      shop: counts.map(({ value, count }) => ({
        value: value === null ? null : String(value),
        count: Number(count),
      })),
    },
  },
})

/**
 * @param {string} key
 * @returns {MakeDocument}
 */
export const groupsDocument =
  (key) =>
  ([groups = []]) => ({
    groups: groups.map((row) => ({ by: { [key]: row.value }, aggregates: aggregatesOf(row) })),
  })

/** @param {SqlRow} row */
function aggregatesOf({ count, sum }) {
  return { count: Number(count), 'sum(amount)': Number(sum) }
}

/** @type {MakeDocument} */
export const includedDocument = ([sales = [], customers = [], products = [], shops = []]) => ({
  sales: sales.map(saleOf),
  customers: customers.map(customerOf),
  products: products.map(productOf),
  shops: shops.map((shop) => ({ id: String(shop.shop_id), city: shop.city })),
})

/** @type {MakeDocument} */
export const ownerDocument = ([customers, sales = []]) => ({
  customer: customerOf(customers?.[0] ?? {}),
  sales: sales.map(saleOf),
})

/** @type {MakeDocument} */
export const customersDocument = ([customers = [], sales = []]) => ({
  customers: customers.map(customerOf),
  sales: sales.map(saleOf),
})

/** @type {MakeDocument} */
export const productsDocument = ([products = [], sales = []]) => ({
  products: products.map(productOf),
  sales: sales.map(saleOf),
})

/** @param {SqlRow} row */
function saleOf(row) {
  const { sale_id, receipt, sold_at, amount, customer_id, product_id, shop_id } = row
  return {
    id: String(sale_id),
    receipt,
    // The driver of PostgreSQL makes a Date of it.
    soldAt: typeof sold_at === 'string' ? sold_at : sold_at.toISOString().replace('.000', ''),
    amount,
    customer: String(customer_id),
    product: String(product_id),
    shop: shop_id === null ? null : String(shop_id),
  }
}

/** @param {SqlRow} row */
function customerOf({ customer_id, name, country }) {
  return { id: String(customer_id), name, country }
}

/** @param {SqlRow} row */
function productOf({ product_id, title }) {
  return { id: String(product_id), title }
}
