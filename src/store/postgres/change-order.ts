import type { ChangeOrder } from '../sql/change-log-statements.ts'

/**
 * Sequences are not in the order of commits. So changes are in the order of transactions, and those
 * of a transaction are read once all transactions before it have ended: a snapshot shows the
 * oldest one under way.
 */
export const postgresChangeOrder: ChangeOrder = {
  columns:
    'transaction_id xid8 not null default pg_current_xact_id(), change_id bigint not null generated always as identity, primary key (transaction_id, change_id)',
  sort: ['transaction_id', 'change_id'],
  compare: (operator, transaction, change) =>
    `(transaction_id, change_id) ${operator} (${transaction}::xid8, ${change}::bigint)`,
  isSettled: 'transaction_id < pg_snapshot_xmin(pg_current_snapshot())',
  isUnsettled: 'transaction_id >= pg_snapshot_xmin(pg_current_snapshot())',
  end: () => 'select pg_snapshot_xmin(pg_current_snapshot())::text, 0',
  isNumberedByWriter: false,
  isForeign: {
    change: 'transaction_id >= pg_snapshot_xmax(pg_current_snapshot())',
    removed: 'removed_transaction::text::xid8 >= pg_snapshot_xmax(pg_current_snapshot())',
  },
}
