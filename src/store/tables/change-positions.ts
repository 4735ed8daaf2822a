import type { LogPosition } from '../sql/change-log-statements.ts'
import type { StatementResult } from './sql-database.ts'

/** Before all changes. */
export const start: LogPosition & { readonly log: string } = {
  log: '',
  transaction: 0n,
  change: 0n,
}

/** `<log>.<transaction>.<change>`, the numbers in base 36. */
export function formatPosition(log: string, { transaction, change }: LogPosition): string {
  return `${log}.${transaction.toString(36)}.${change.toString(36)}`
}

export function parsePosition(text: string): (LogPosition & { readonly log: string }) | undefined {
  const [, log, transaction, change] =
    /^([0-9a-f]{12})\.([0-9a-z]{1,13})\.([0-9a-z]{1,13})$/.exec(text) ?? []
  if (log === undefined) return undefined
  const position = { log, transaction: fromBase36(transaction!), change: fromBase36(change!) }
  return position.transaction > maxNumber || position.change > maxNumber ? undefined : position
}

/** The largest number that the columns hold. */
const maxNumber = 2n ** 63n - 1n

function fromBase36(digits: string): bigint {
  let value = 0n
  for (const digit of digits) value = value * 36n + BigInt(Number.parseInt(digit, 36))
  return value
}

/** The position in the only row; undefined if there is none. */
export function positionIn({ rows: [row] }: StatementResult): LogPosition | undefined {
  return row && toPosition(row)
}

function toPosition([transaction, change]: readonly unknown[]): LogPosition {
  return { transaction: BigInt(String(transaction)), change: BigInt(String(change)) }
}

export function later(
  one: LogPosition | undefined,
  other: LogPosition | undefined,
): LogPosition | undefined {
  return one && (!other || isAfter(one, other)) ? one : other
}

export function isAfter(one: LogPosition, other: LogPosition): boolean {
  return one.transaction === other.transaction
    ? one.change > other.change
    : one.transaction > other.transaction
}

/** The name of the log, and the last change that was removed. */
export function stateIn({ rows }: StatementResult): {
  readonly log: string
  readonly removed: LogPosition
} {
  const [log, ...numbers] = rows[0]!
  return { log: String(log), removed: toPosition(numbers) }
}
