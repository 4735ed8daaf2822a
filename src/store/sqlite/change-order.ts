import type { ChangeOrder } from '../sql/change-log-statements.ts'

/** One transaction writes at a time, so it counts on from the last change. */
export const sqliteChangeOrder: ChangeOrder = {
  columns: 'change_id integer primary key, transaction_id integer not null',
  sort: ['change_id'],
  compare: (operator, _, change) => `change_id ${operator} cast(${change} as integer)`,
  isSettled: 'true',
  isUnsettled: 'false',
  // Where all changes are removed, the last of them is noted.
  end: (table, stateTable) =>
    `select transaction_id, change_id from (select transaction_id, change_id from ${table} union all select removed_transaction, removed_change from ${stateTable}) order by change_id desc limit 1`,
  last: (table, stateTable) =>
    `select max(coalesce((select max(change_id) from ${table}), 0), coalesce((select removed_change from ${stateTable}), 0))`,
  createAlso: [],
  numbers: undefined,
  transactionOf: ({ transaction }) => transaction,
  isForeign: undefined,
}
