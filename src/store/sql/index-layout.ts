import type { ModelDescription, UniqueSet } from '../../model/model-description.ts'
import type { Scalar, SortDirection } from '../../query/query-plan.ts'
import type { ColumnLayout } from './column-layout.ts'
import { conditionSql } from './condition-sql.ts'
import type { Dialect } from './dialect.ts'

export interface IndexLayout {
  /**
   * An index of the kind `nulls` holds only rows where its column is NULL; one of the kind
   * `uniqueSet` only refuses values, and no list is read by it.
   */
  readonly kind: 'plain' | 'unique' | 'uniqueSet' | 'nulls'
  /** It determines the definition, so that a changed index gets a new name. */
  readonly name: string
  readonly keys: readonly { readonly column: ColumnLayout; readonly direction: SortDirection }[]
  readonly definition: string
  /** Which rows it holds; empty for all. */
  readonly where: readonly ColumnCondition[]
}

interface ColumnCondition {
  readonly column: ColumnLayout
  readonly value: Scalar
}

/**
 * The indexes of a table: of single fields, and those that the model declares over several fields.
 * An index serves an order and its reverse.
 */
export function indexLayouts(
  dialect: Dialect,
  table: string,
  columns: readonly ColumnLayout[],
  { indexes: declared, uniqueSets }: Pick<ModelDescription, 'indexes' | 'uniqueSets'>,
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
  return [
    ...indexes,
    ...nullIndexes(dialect, table, indexes),
    ...uniqueSets.map((set) => uniqueSetIndex(dialect, table, set, columnOf)),
  ]
}

/** The columns that writes should set only where they change, as an index holds them. */
export function columnsInIndexes(indexes: readonly IndexLayout[]): ReadonlySet<ColumnLayout> {
  return new Set(
    indexes.flatMap(({ keys, where }) => [...keys, ...where].map(({ column }) => column)),
  )
}

/** The columns of indexes by which lists are read. The store checks whether they hold NULL. */
export function indexedColumns(indexes: readonly IndexLayout[]): readonly ColumnLayout[] {
  const read = indexes.filter(({ kind }) => kind !== 'uniqueSet')
  return [...new Set(read.flatMap(({ keys }) => keys.map((key) => key.column)))]
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

function uniqueSetIndex(
  dialect: Dialect,
  table: string,
  { fields, where }: UniqueSet,
  columnOf: (field: ColumnLayout['field']) => ColumnLayout,
): IndexLayout {
  const keys = fields.map((field) => ({ column: columnOf(field), direction: 'asc' as const }))
  const conditions = where.map(({ field, value }) => ({ column: columnOf(field), value }))
  return indexLayout(dialect, table, keys, 'uniqueSet', conditions)
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
  where: IndexLayout['where'] = [],
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
  const predicate = where.map(({ column, value }) =>
    conditionSql(dialect, quote(column.name), value),
  )
  const suffix = [...(kind === 'plain' ? [] : [kind]), ...predicate].map((text) => ` ${text}`)
  const name = `${table}(${names.join()}${suffix.join('')})`
  const terms = [...named, ...last].map(({ name: column, direction, isOptional }) =>
    order(quote(column), direction, isOptional),
  )
  return {
    kind,
    name,
    keys,
    where,
    definition:
      definitions[kind](quote(name), quote(table), terms, quote(named[0]!.name)) +
      (predicate.length === 0 ? '' : ` where ${predicate.join(' and ')}`),
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
  uniqueSet: (name, table, terms) =>
    `create unique index if not exists ${name} on ${table} (${terms.join(', ')})`,
  nulls: (name, table, _, first) =>
    `create index if not exists ${name} on ${table} ("id") where ${first} is null`,
}
