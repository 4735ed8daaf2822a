import type { GroupKey, GroupPlan } from '../../query/group-plan.ts'
import type { Dialect } from './dialect.ts'
import type { GroupValue } from './group-values.ts'
import type { Table } from './table.ts'

/** Has an index the rows of each group one after the other? */
export function readsInOrder({ leadingFields }: Table, { by: [first] }: GroupPlan): boolean {
  return first !== undefined && isOwnField(first, leadingFields)
}

/** Groups by their keys, with NULL as the smallest value. */
export function keyOrderSql(
  dialect: Dialect,
  { fieldsWithLargestNull }: Table,
  { by }: GroupPlan,
  keys: readonly GroupValue[],
): readonly string[] {
  return keys.flatMap(({ sql, native, isNullable }, index) =>
    (native?.ordered?.([sql]) ?? [sql]).flatMap((value) =>
      // PostgreSQL groups in the order that a statement sorts by, and takes no index of another.
      isNullable && isOwnField(by[index]!, fieldsWithLargestNull)
        ? [dialect.order(`${value} is null`, 'desc', false), dialect.order(value, 'asc', false)]
        : dialect.order(value, 'asc', isNullable),
    ),
  )
}

/** Is the key a field of the listed items, whose name is one of these? */
function isOwnField({ path, part }: GroupKey, names: ReadonlySet<string>): boolean {
  const [name, ...others] = path.names
  return !part && others.length === 0 && names.has(name!)
}
