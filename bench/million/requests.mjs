// Each request with the statements that somebody would write by hand for the same answer, and the
// document that a handler would make of their rows.

import {
  customersDocument,
  facetDocument,
  groupsDocument,
  includedDocument,
  itemDocument,
  ownerDocument,
  productsDocument,
  salesDocument,
  sumsDocument,
  totalDocument,
} from './documents.mjs'

/**
 * @typedef {{ sql: string, parameters?: unknown[] }} Statement
 * @typedef {{
 *   name: string
 *   path: string
 *   sql: Statement[]
 *   document: import('./documents.mjs').MakeDocument
 *   pagesAhead?: number
 *   position?: Statement
 * }} Request
 *   `pagesAhead`: it follows so many links to the next page first, which are not measured.
 *   `position`: the values of its only row are the parameters of `sql`, which begins after it
 */

const SALE = 't.sale_id, t.receipt, t.sold_at, t.amount, t.customer_id, t.product_id, t.shop_id'
const CUSTOMERS = 'join customers c on c.customer_id = t.customer_id'

const SUMS = 'count(*) as count, sum(t.amount) as sum'

const MONTH = {
  postgres: "to_char(t.sold_at at time zone 'UTC', 'YYYY-MM')",
  sqlite: 'substr(t.sold_at, 1, 7)',
}

/**
 * @param {number} rows
 * @param {keyof typeof MONTH} engine
 * @returns {Request[]}
 */
export function requestsFor(rows, engine) {
  const middle = Math.floor(rows / 2)
  const list = (/** @type {string} */ rest, /** @type {unknown[]} */ ...parameters) => [
    { sql: `select ${SALE} from sales t ${rest}`, parameters },
  ]
  const receipt = `R-${String(middle).padStart(7, '0')}`
  const from = new Date((1_577_836_800 + middle * 97) * 1_000).toISOString().replace('.000', '')
  const until = new Date((1_577_836_800 + (middle + 500) * 97) * 1_000)
    .toISOString()
    .replace('.000', '')
  return [
    {
      name: 'item',
      path: `/sales/${middle}`,
      sql: list('where sale_id = $1', middle),
      document: itemDocument,
    },
    {
      name: 'page 1 of 100',
      path: '/sales?page[size]=100',
      sql: list('order by sale_id limit 100'),
      document: salesDocument,
    },
    {
      name: 'page 1000 of 100, by number',
      path: `/sales?page[size]=100&page[number]=${Math.min(1_000, rows / 100)}`,
      sql: list(`order by sale_id limit 100 offset ${Math.min(99_900, rows - 100)}`),
      document: salesDocument,
    },
    {
      name: 'total',
      path: '/sales?page[size]=1&withCount=true',
      sql: [...list('order by sale_id limit 1'), { sql: 'select count(*) as total from sales' }],
      document: totalDocument,
    },
    {
      name: 'filter, unique, page',
      path: `/sales?filter[receipt]=${receipt}&page[size]=1`,
      sql: list('where receipt = $1', receipt),
      document: salesDocument,
    },
    {
      name: 'filter, unique, no page',
      path: `/sales?filter[receipt]=${receipt}`,
      sql: list('where receipt = $1', receipt),
      document: salesDocument,
    },
    {
      name: 'filter, indexed relation, no page',
      path: '/sales?filter[customer]=7',
      sql: list('where customer_id = $1 order by sale_id', 7),
      document: salesDocument,
    },
    {
      name: 'filter, indexed date-time, sorted by it',
      path: `/sales?filter[soldAt][gte]=${from}&filter[soldAt][lt]=${until}&sort=soldAt&page[size]=100`,
      sql: list(
        'where sold_at >= $1 and sold_at < $2 order by sold_at, sale_id limit 100',
        from,
        until,
      ),
      document: salesDocument,
    },
    {
      name: 'filter, unindexed, nothing found',
      path: '/sales?filter[amount]=-1&page[size]=100',
      sql: list('where amount = $1 order by sale_id limit 100', -1),
      document: salesDocument,
    },
    {
      name: 'sort, indexed date-time',
      path: '/sales?sort=-soldAt&page[size]=100',
      sql: list('order by sold_at desc, sale_id desc limit 100'),
      document: salesDocument,
    },
    {
      name: 'sort, unindexed',
      path: '/sales?sort=amount&page[size]=100',
      sql: list('order by amount, sale_id limit 100'),
      document: salesDocument,
    },
    {
      name: 'sort by a related field, indexed',
      path: '/sales?sort=customer.name&page[size]=100',
      sql: list(`${CUSTOMERS} order by c.name, t.sale_id limit 100`),
      document: salesDocument,
    },
    {
      name: 'the same, page 8 by cursor',
      pagesAhead: 7,
      path: '/sales?sort=customer.name&page[size]=100',
      sql: list(
        `${CUSTOMERS} where c.name >= $1 and (c.name, t.sale_id) > ($1, $2) order by c.name, t.sale_id limit 100`,
      ),
      position: {
        sql: `select c.name, t.sale_id from sales t ${CUSTOMERS} order by c.name, t.sale_id limit 1 offset 699`,
      },
      document: salesDocument,
    },
    {
      name: 'sort by a related field, unindexed',
      path: '/sales?sort=customer.country&page[size]=100',
      sql: list(`${CUSTOMERS} order by c.country, t.sale_id limit 100`),
      document: salesDocument,
    },
    {
      name: 'sort by an optional related field',
      path: '/sales?sort=-shop.city&page[size]=100',
      sql: list(
        'left join shops s on s.shop_id = t.shop_id order by s.city is null, s.city desc, t.sale_id desc limit 100',
      ),
      document: salesDocument,
    },
    {
      name: 'filter by a related field, page',
      path: '/sales?filter[customer.country]=Country%207&page[size]=100',
      sql: list(`${CUSTOMERS} where c.country = $1 order by t.sale_id limit 100`, 'Country 7'),
      document: salesDocument,
    },
    {
      name: 'filter by a related field, total',
      path: '/sales?filter[customer.country]=Country%207&page[size]=1&withCount=true',
      sql: [
        ...list(`${CUSTOMERS} where c.country = $1 order by t.sale_id limit 1`, 'Country 7'),
        {
          sql: `select count(*) as total from sales t ${CUSTOMERS} where c.country = $1`,
          parameters: ['Country 7'],
        },
      ],
      document: totalDocument,
    },
    {
      name: 'sums of the list',
      path: '/sales?page[size]=1&withAggregates=count,sum(amount)',
      sql: [...list('order by sale_id limit 1'), { sql: `select ${SUMS} from sales t` }],
      document: sumsDocument,
    },
    {
      name: 'facet of a relation',
      path: '/sales?page[size]=1&withFacets=shop',
      sql: [
        ...list('order by sale_id limit 1'),
        {
          sql: 'select shop_id as value, count(*) as count from sales group by shop_id order by count(*) desc, shop_id limit 20',
        },
      ],
      document: facetDocument,
    },
    {
      name: 'groups by a related field, the largest sums first',
      path: '/sales/groups?groupBy=customer.country&withAggregates=count,sum(amount)&sort=-sum(amount)',
      sql: [
        {
          sql: `select c.country as value, ${SUMS} from sales t ${CUSTOMERS} group by c.country order by sum(t.amount) desc`,
        },
      ],
      document: groupsDocument('customer.country'),
    },
    {
      name: 'groups by month',
      path: '/sales/groups?groupBy=month(soldAt)&withAggregates=count,sum(amount)',
      sql: [
        { sql: `select ${MONTH[engine]} as value, ${SUMS} from sales t group by 1 order by 1` },
      ],
      document: groupsDocument('month(soldAt)'),
    },
    {
      name: 'groups by month, filtered to a fiftieth',
      path: '/sales/groups?filter[customer.country]=Country%207&groupBy=month(soldAt)&withAggregates=count,sum(amount)',
      sql: [
        {
          sql: `select ${MONTH[engine]} as value, ${SUMS} from sales t ${CUSTOMERS} where c.country = $1 group by 1 order by 1`,
          parameters: ['Country 7'],
        },
      ],
      document: groupsDocument('month(soldAt)'),
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
      document: includedDocument,
    },
    {
      name: 'include to-many of one, 100 rows',
      path: '/customers/7?include=sales',
      sql: [
        { sql: 'select * from customers where customer_id = $1', parameters: [7] },
        ...list('where customer_id = $1 order by sale_id', 7),
      ],
      document: ownerDocument,
    },
    {
      name: 'include to-many, page of 20 (2 000 rows)',
      path: '/customers?page[size]=20&include=sales',
      sql: [
        { sql: 'select * from customers order by customer_id limit 20' },
        ...list(
          'where customer_id in (select customer_id from customers order by customer_id limit 20) order by sale_id',
        ),
      ],
      document: customersDocument,
    },
    {
      name: 'include to-many without an index (10 rows of 1 000)',
      path: '/products?page[size]=10&include=sales',
      sql: [
        { sql: 'select * from products order by product_id limit 10' },
        ...list(
          'where product_id in (select product_id from products order by product_id limit 10) order by sale_id',
        ),
      ],
      document: productsDocument,
    },
  ]
}
