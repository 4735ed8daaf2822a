import type { IndexDescription } from '../../model/model-description.ts'
import type { SortDirection } from '../../query/query-plan.ts'
import type { ColumnLayout } from './column-layout.ts'
import type { Dialect } from './dialect.ts'

export interface IndexLayout {
  /** An index of the kind `nulls` holds only rows where its column is NULL. */
  readonly kind: 'plain' | 'unique' | 'nulls'
  /** It determines the definition, so that a changed index gets a new name. */
  readonly name: string
  readonly keys: readonly { readonly column: ColumnLayout; readonly direction: SortDirection }[]
  readonly definition: string
}

/**
 * The indexes of a table: of single fields, and those that the model declares over several fields.
 * An index serves an order and its reverse.
 */
export function indexLayouts(
  dialect: Dialect,
  table: string,
  columns: readonly ColumnLayout[],
  declared: readonly IndexDescription[],
): readonly IndexLayout[] {
  const columnOf = (field: ColumnLayout['field']) =>
    columns.find((column) => column.field === field)!
  const declaredFirst = new Set<unknown>(declared.map(({ keys: [first] }) => first?.field))
  const indexes = [
    ...columns.flatMap((column) =>
      singleColumnIndex(dialect, table, column, declaredFirst.has(column.field)),
    ),
    ...declared.map(({ keys }) =>
      indexLayout(
        dialect,
        table,
        keys.map(({ field, direction }) => ({ column: columnOf(field), direction })),
      ),
    ),
  ]
  return [...indexes, ...nullIndexes(dialect, table, indexes)]
}

/** The columns of all indexes. For these the store checks whether they hold NULL. */
export function indexedColumns(indexes: readonly IndexLayout[]): readonly ColumnLayout[] {
  return [...new Set(indexes.flatMap(({ keys }) => keys.map((key) => key.column)))]
}

/** @param isFirstInDeclared does a declared index begin with the column? */
function singleColumnIndex(
  dialect: Dialect,
  table: string,
  column: ColumnLayout,
  isFirstInDeclared: boolean,
): readonly IndexLayout[] {
  const { field } = column
  const keys = [{ column, direction: 'asc' }] as const
  // The items of an owner are looked up in any index that begins with the relation.
  if (field.kind === 'toOne') return isFirstInDeclared ? [] : [indexLayout(dialect, table, keys)]
  if (field.isUnique) return [indexLayout(dialect, table, keys, 'unique')]
  return field.isIndexed ? [indexLayout(dialect, table, keys)] : []
}

/** Indexes that find NULL in required columns that lead no other index. */
function nullIndexes(
  dialect: Dialect,
  table: string,
  indexes: readonly IndexLayout[],
): readonly IndexLayout[] {
  const leadingColumns = new Set(indexes.map(({ keys }) => keys[0]!.column))
  return indexedColumns(indexes)
    .filter((column) => !column.isOptional && !leadingColumns.has(column))
    .map((column) => indexLayout(dialect, table, [{ column, direction: 'asc' }], 'nulls'))
}

function indexLayout(
  dialect: Dialect,
  table: string,
  keys: IndexLayout['keys'],
  kind: IndexLayout['kind'] = 'plain',
): IndexLayout {
  const { quote, order } = dialect
  const named = keys.map(({ column: { name, isOptional }, direction }) => ({
    name,
    direction,
    isOptional,
  }))
  // The value of a unique index is unique without the id.
  const last =
    kind === 'plain' ? [{ name: 'id', direction: keys.at(-1)!.direction, isOptional: false }] : []
  const descendingId = last.filter(({ direction }) => direction === 'desc')
  const names = [...named, ...descendingId].map(
    ({ name, direction }) => name + (direction === 'desc' ? ' descending' : ''),
  )
  const name = `${table}(${names.join()}${kind === 'plain' ? '' : ` ${kind}`})`
  const terms = [...named, ...last].map(({ name: column, direction, isOptional }) =>
    order(quote(column), direction, isOptional),
  )
  return {
    kind,
    name,
    keys,
    definition: definitions[kind](quote(name), quote(table), terms, quote(named[0]!.name)),
  }
}

const definitions: Readonly<
  Record<
    IndexLayout['kind'],
    (name: string, table: string, terms: readonly string[], first: string) => string
  >
> = {
  plain: (name, table, terms) =>
    `create index if not exists ${name} on ${table} (${terms.join(', ')})`,
  unique: (name, table, terms) =>
    `create unique index if not exists ${name} on ${table} (${terms.join(', ')})`,
  nulls: (name, table, _, first) =>
    `create index if not exists ${name} on ${table} ("id") where ${first} is null`,
}
