// The tables of another program: sales with three relations of 10 000, 1 000 and 100 rows, and an
// index of what the requests look for. Both engines fill them by SQL, with the same values.

/** What differs between the engines. */
const ENGINES = {
  postgres: {
    text: 'text collate "C"',
    instant: 'timestamptz',
    key: 'integer primary key',
    series: (/** @type {number} */ count) => `generate_series(1, ${count}) s(n)`,
    padded: (/** @type {string} */ value) => `lpad((${value})::text, 7, '0')`,
    soldAt: "timestamptz '2020-01-01 00:00:00Z' + n * interval '97 seconds'",
  },
  sqlite: {
    text: 'text',
    instant: 'text',
    key: 'integer primary key',
    series: (/** @type {number} */ count) =>
      `(with recursive s(n) as (select 1 union all select n + 1 from s where n < ${count}) select n from s) s`,
    padded: (/** @type {string} */ value) => `printf('%07d', ${value})`,
    soldAt: "strftime('%Y-%m-%dT%H:%M:%SZ', 1577836800 + n * 97, 'unixepoch')",
  },
}

/**
 * The statements that make and fill the tables.
 *
 * @param {keyof typeof ENGINES} engine
 * @param {number} rows
 */
export function schemaSql(engine, rows) {
  const { text, instant, key, series, padded, soldAt } = ENGINES[engine]
  const { customers, products, shops } = extentOf(rows)
  // Odd factors spread the values, so that no order of rows is the order of another column.
  const spread = (/** @type {number} */ factor, /** @type {number} */ count) =>
    `cast(n as bigint) * ${factor} % ${count}`
  return [
    `create table customers (customer_id ${key}, name ${text} not null, country ${text} not null)`,
    `create table products (product_id ${key}, title ${text} not null)`,
    `create table shops (shop_id ${key}, city ${text} not null)`,
    `create table sales (sale_id ${key}, receipt ${text} not null, sold_at ${instant} not null, amount integer not null,
      customer_id integer not null references customers, product_id integer not null references products,
      shop_id integer references shops)`,
    `insert into customers select n, 'Customer ' || ${padded(spread(7919, customers))}, 'Country ' || (n % 50) from ${series(customers)}`,
    `insert into products select n, 'Product ' || ${padded(spread(131, products))} from ${series(products)}`,
    `insert into shops select n, 'City ' || n from ${series(shops)}`,
    `insert into sales select n, 'R-' || ${padded('n')}, ${soldAt}, ${spread(7919, 99_991)},
      1 + ${spread(31, customers)}, 1 + ${spread(17, products)}, case when n % 50 > 0 then 1 + ${spread(13, shops)} end from ${series(rows)}`,
    'create unique index sales_receipt on sales (receipt)',
    'create index sales_sold_at on sales (sold_at)',
    'create index sales_customer_id on sales (customer_id)',
    // `sales.product_id` has none: an include without an index.
    'create index sales_shop_id on sales (shop_id)',
    'create index customers_name on customers (name)',
  ]
}

/** @param {number} rows */
function extentOf(rows) {
  return {
    customers: Math.max(20, rows / 100),
    products: Math.max(10, rows / 1_000),
    shops: Math.max(10, rows / 10_000),
  }
}
