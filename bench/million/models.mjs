import { dateTime, field, model, toMany, toOne } from 'resourcery'
import { z } from 'zod'

const Customer = model(
  'customer',
  {
    name: field(z.string(), { index: true }),
    country: z.string(),
    sales: toMany('sale', { inverse: 'customer' }),
  },
  { table: 'customers', key: 'customer_id', aggregate: ['country'] },
)

const Product = model(
  'product',
  { title: z.string(), sales: toMany('sale', { inverse: 'product' }) },
  { table: 'products', key: 'product_id' },
)

const Shop = model('shop', { city: z.string() }, { table: 'shops', key: 'shop_id' })

const Sale = model(
  'sale',
  {
    receipt: field(z.string(), { unique: true }),
    soldAt: field(dateTime(), { column: 'sold_at', index: true }),
    amount: z.int(),
    customer: toOne('customer', { column: 'customer_id' }),
    product: toOne('product', { column: 'product_id' }),
    shop: toOne('shop', { column: 'shop_id', optional: true }),
  },
  {
    table: 'sales',
    key: 'sale_id',
    aggregate: ['amount', 'soldAt', 'customer', 'shop'],
  },
)

export const models = [Customer, Product, Shop, Sale]
