// Each request with the statements that somebody would write by hand for the same answer.

import { extentOf } from './schema.mjs'

/**
 * @typedef {{ sql: string, parameters?: unknown[] }} Statement
 * @typedef {{ name: string, path: string, sql: Statement[], pagesAhead?: number }} Request
 *   `pagesAhead`: it follows so many links to the next page first, which are not measured
 */

const SALE = 't.sale_id, t.receipt, t.sold_at, t.amount, t.customer_id, t.product_id, t.shop_id'
const CUSTOMERS = 'join customers c on c.customer_id = t.customer_id'

/**
 * @param {number} rows
 * @param {(text: string) => unknown} instant a date-time as the engine binds it
 * @returns {Request[]}
 */
export function requestsFor(rows, instant) {
  const middle = Math.floor(rows / 2)
  const { customers, products } = extentOf(rows)
  const list = (/** @type {string} */ rest, /** @type {unknown[]} */ ...parameters) => [
    { sql: `select ${SALE} from sales t ${rest}`, parameters },
  ]
  const receipt = `R-${String(middle).padStart(7, '0')}`
  const from = new Date((1_577_836_800 + middle * 97) * 1_000).toISOString().replace('.000', '')
  const until = new Date((1_577_836_800 + (middle + 500) * 97) * 1_000)
    .toISOString()
    .replace('.000', '')
  const ids = (/** @type {number} */ count) =>
    Array.from({ length: count }, (_, index) => index + 1)
  const listed = (/** @type {number} */ count) => ids(count).join(', ')
  return [
    { name: 'item', path: `/sales/${middle}`, sql: list('where sale_id = $1', middle) },
    {
      name: 'page 1 of 100',
      path: '/sales?page[size]=100',
      sql: list('order by sale_id limit 100'),
    },
    {
      name: 'page 1000 of 100, by number',
      path: `/sales?page[size]=100&page[number]=${Math.min(1_000, rows / 100)}`,
      sql: list(`order by sale_id limit 100 offset ${Math.min(99_900, rows - 100)}`),
    },
    {
      name: 'total',
      path: '/sales?page[size]=1&withCount=true',
      sql: [{ sql: 'select count(*) from sales' }],
    },
    {
      name: 'filter, unique, page',
      path: `/sales?filter[receipt]=${receipt}&page[size]=1`,
      sql: list('where receipt = $1', receipt),
    },
    {
      name: 'filter, unique, no page',
      path: `/sales?filter[receipt]=${receipt}`,
      sql: list('where receipt = $1', receipt),
    },
    {
      name: 'filter, indexed relation, no page',
      path: '/sales?filter[customer]=7',
      sql: list('where customer_id = $1 order by sale_id', 7),
    },
    {
      name: 'filter, indexed date-time, sorted by it',
      path: `/sales?filter[soldAt][gte]=${from}&filter[soldAt][lt]=${until}&sort=soldAt&page[size]=100`,
      sql: list(
        'where sold_at >= $1 and sold_at < $2 order by sold_at, sale_id limit 100',
        instant(from),
        instant(until),
      ),
    },
    {
      name: 'filter, unindexed, nothing found',
      path: '/sales?filter[amount]=-1&page[size]=100',
      sql: list('where amount = $1 order by sale_id limit 100', -1),
    },
    {
      name: 'sort, indexed date-time',
      path: '/sales?sort=-soldAt&page[size]=100',
      sql: list('order by sold_at desc, sale_id desc limit 100'),
    },
    {
      name: 'sort, unindexed',
      path: '/sales?sort=amount&page[size]=100',
      sql: list('order by amount, sale_id limit 100'),
    },
    {
      name: 'sort by a related field, indexed',
      path: '/sales?sort=customer.name&page[size]=100',
      sql: list(`${CUSTOMERS} order by c.name, t.sale_id limit 100`),
    },
    {
      name: 'the same, page 8 by cursor',
      pagesAhead: 7,
      path: '/sales?sort=customer.name&page[size]=100',
      sql: list(
        `${CUSTOMERS} where c.name >= $1 and (c.name, t.sale_id) > ($1, $2) order by c.name, t.sale_id limit 100`,
        `Customer ${String(7).padStart(7, '0')}`,
        middle,
      ),
    },
    {
      name: 'sort by a related field, unindexed',
      path: '/sales?sort=customer.country&page[size]=100',
      sql: list(`${CUSTOMERS} order by c.country, t.sale_id limit 100`),
    },
    {
      name: 'sort by an optional related field',
      path: '/sales?sort=-shop.city&page[size]=100',
      sql: list(
        'left join shops s on s.shop_id = t.shop_id order by s.city is null, s.city desc, t.sale_id desc limit 100',
      ),
    },
    {
      name: 'filter by a related field, page',
      path: '/sales?filter[customer.country]=Country%207&page[size]=100',
      sql: list(`${CUSTOMERS} where c.country = $1 order by t.sale_id limit 100`, 'Country 7'),
    },
    {
      name: 'filter by a related field, total',
      path: '/sales?filter[customer.country]=Country%207&page[size]=1&withCount=true',
      sql: [
        {
          sql: `select count(*) from sales t ${CUSTOMERS} where c.country = $1`,
          parameters: ['Country 7'],
        },
      ],
    },
    {
      name: 'include of three to-one, page of 100',
      path: '/sales?page[size]=100&include=customer,product,shop',
      sql: list('order by sale_id limit 100').concat(
        [
          ['customers', 'customer_id'],
          ['products', 'product_id'],
          ['shops', 'shop_id'],
        ].map(([table, key]) => ({
          sql: `select r.* from ${table} r where r.${key} in (select ${key} from sales order by sale_id limit 100)`,
          parameters: [],
        })),
      ),
    },
    {
      name: 'include to-many of one, 100 rows',
      path: '/customers/7?include=sales',
      sql: [
        { sql: 'select * from customers where customer_id = $1', parameters: [7] },
        ...list('where customer_id = $1 order by sale_id', 7),
      ],
    },
    {
      name: 'include to-many, page of 20 (2 000 rows)',
      path: '/customers?page[size]=20&include=sales',
      sql: [
        { sql: 'select * from customers order by customer_id limit 20' },
        ...list(`where customer_id in (${listed(Math.min(20, customers))}) order by sale_id`),
      ],
    },
    {
      name: 'include to-many without an index (10 rows of 1 000)',
      path: '/products?page[size]=10&include=sales',
      sql: [
        { sql: 'select * from products order by product_id limit 10' },
        ...list(`where product_id in (${listed(Math.min(10, products))}) order by sale_id`),
      ],
    },
  ]
}
