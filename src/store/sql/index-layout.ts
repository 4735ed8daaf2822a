import type { IndexDescription } from '../../model/model-description.ts'
import type { SortDirection } from '../../query/query-plan.ts'
import type { ColumnLayout } from './column-layout.ts'
import type { Dialect } from './dialect.ts'

export interface IndexLayout {
  /** An index of the kind `nulls` holds only rows where its column is NULL. */
  readonly kind: 'plain' | 'unique' | 'nulls'
  readonly keys: readonly { readonly column: ColumnLayout; readonly direction: SortDirection }[]
  readonly definition: string
}

/**
 * The indexes of a table: of single fields, and those that the model declares over several fields.
 */
export function indexLayouts(
  dialect: Dialect,
  table: string,
  columns: readonly ColumnLayout[],
  declared: readonly IndexDescription[],
): readonly IndexLayout[] {
  const columnOf = (field: ColumnLayout['field']) =>
    columns.find((column) => column.field === field)!
  const indexes = [
    ...columns.flatMap((column) => singleColumnIndexes(dialect, table, column)),
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

function singleColumnIndexes(
  dialect: Dialect,
  table: string,
  column: ColumnLayout,
): readonly IndexLayout[] {
  const { field } = column
  const ascending = [{ column, direction: 'asc' }] as const
  if (field.kind === 'toOne') return [indexLayout(dialect, table, ascending)]
  if (field.isUnique) return [indexLayout(dialect, table, ascending, 'unique')]
  return field.isIndexed
    ? [
        indexLayout(dialect, table, ascending),
        indexLayout(dialect, table, [{ column, direction: 'desc' }]),
      ]
    : []
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
  const names = keys.map(
    ({ column, direction }) => column.name + (direction === 'desc' ? ' descending' : ''),
  )
  const name = `${table}(${names.join()}${kind === 'plain' ? '' : ` ${kind}`})`
  const { quote, order } = dialect
  const terms = keys.map(({ column, direction }) =>
    kind === 'nulls' ? quote(column.name) : order(quote(column.name), direction),
  )
  return {
    kind,
    keys,
    definition: definitions[kind](`index if not exists ${quote(name)} on ${quote(table)}`, terms),
  }
}

const definitions: Readonly<
  Record<IndexLayout['kind'], (name: string, terms: readonly string[]) => string>
> = {
  plain: (name, terms) => `create ${name} (${[...terms, '"id"'].join(', ')})`,
  // Without the id: the value alone is unique.
  unique: (name, terms) => `create unique ${name} (${terms.join(', ')})`,
  nulls: (name, [term]) => `create ${name} ("id") where ${term} is null`,
}
