import type { ChangeOrder } from '../sql/change-log-statements.ts'

const oldestRunning = 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint'
/** No transaction of this number or a higher one has ended. */
const firstNotEnded = 'pg_snapshot_xmax(pg_current_snapshot())::text::bigint'

/** Of transactions that change something. */
export const changeSequence = 'resourcery_changes_transactions'

/** The last digits of the number of a change count those of its transaction. */
const countBits = 20

/**
 * Sequences are not in the order of commits, and neither are numbers of transactions: one with a
 * lower number may wait for a row that one with a higher number has changed. So a change is in the
 * order of the last transaction that has ended when it is added, at the end of its own transaction,
 * which has locked the items by then: the change of the item before it was added earlier, and its
 * transaction has ended. Changes that are added between the same two ends are in the order of a
 * sequence.
 *
 * A change is read once no transaction up to this number is under way, which a snapshot shows. The
 * number is not below that of its own transaction, so none is added before a change that was read.
 */
export const postgresChangeOrder: ChangeOrder = {
  columns:
    'transaction_id bigint not null, change_id bigint not null, primary key (transaction_id, change_id)',
  createAlso: [`create sequence if not exists ${changeSequence}`],
  sort: ['transaction_id', 'change_id'],
  // For pairs alone PostgreSQL estimates a third of the table, and reads all of it for a part.
  compare: (operator, transaction, change) =>
    `transaction_id ${operator === '>' ? '>=' : '<='} ${transaction}::bigint and (transaction_id, change_id) ${operator} (${transaction}::bigint, ${change}::bigint)`,
  isSettled: `transaction_id < ${oldestRunning}`,
  isUnsettled: `transaction_id >= ${oldestRunning}`,
  end: () => `select (${oldestRunning})::text, 0`,
  numbers: {
    transaction: `greatest(pg_current_xact_id()::text::bigint, ${firstNotEnded} - 1)`,
    change: (index) =>
      index === 0
        ? `nextval('${changeSequence}') << ${countBits}`
        : `(currval('${changeSequence}') << ${countBits}) + ${index}`,
    maxPerTransaction: 2 ** countBits,
  },
  transactionOf: ({ change }) => change >> BigInt(countBits),
  isForeign: {
    change: `transaction_id >= ${firstNotEnded}`,
    removed: `removed_transaction >= ${firstNotEnded}`,
  },
}
