import { conditionSql } from '../sql/condition-sql.ts'
import type { ColumnType } from '../tables/column-type.ts'
import type { Exclusions } from '../tables/engine.ts'
import type { RelationalColumn, RelationalExclusion } from '../tables/relational-layout.ts'
import { tableQuoter } from '../tables/table-quoter.ts'
import { postgresDialect, quoteIdentifier } from './dialect.ts'

/**
 * Constraints of GiST indexes, in which every operator is that of overlapping ranges. For equal
 * values these are ranges of one hash of 64 bits: the equality of other types would need the
 * extension `btree_gist`, which not every role may create.
 */
export const postgresExclusions: Exclusions = Object.freeze({
  add(table, exclusion) {
    const ranges = rangesOf(exclusion, '').map((range) => `${range} with &&`)
    return `alter table ${quoteTable(table)} add constraint ${quoteIdentifier(exclusion.name)} exclude using gist (${ranges.join(', ')}) where (${isConcerned(exclusion, '')})`
  },
  overlap(exclusion, one, other) {
    const [ranges, others] = [rangesOf(exclusion, `${one}.`), rangesOf(exclusion, `${other}.`)]
    return [
      isConcerned(exclusion, `${one}.`),
      isConcerned(exclusion, `${other}.`),
      ...ranges.map((range, index) => `${range} && ${others[index]}`),
    ].join(' and ')
  },
} satisfies Exclusions)

const quoteTable = tableQuoter(quoteIdentifier)

function rangesOf({ columns, from, to }: RelationalExclusion, prefix: string): readonly string[] {
  const sqlOf = ({ name }: RelationalColumn) => prefix + quoteIdentifier(name)
  const hashes = columns.map((column) => {
    const hash = `hashtextextended(${sqlOf(column)}::text, 0)`
    return `int8range(${hash}, ${hash}, '[]')`
  })
  return [...hashes, rangeSql(from.type, sqlOf(from), sqlOf(to))]
}

/** Rows with null in a column, without bounds, or with bounds in the wrong order overlap none. */
function isConcerned({ columns, from, to, where }: RelationalExclusion, prefix: string): string {
  const sqlOf = ({ name }: RelationalColumn) => prefix + quoteIdentifier(name)
  return [
    ...columns.map((column) => `${sqlOf(column)} is not null`),
    `coalesce(${sqlOf(from)} < ${sqlOf(to)}, ${sqlOf(from)} is not null or ${sqlOf(to)} is not null)`,
    ...where.map(({ column, value }) => conditionSql(postgresDialect, sqlOf(column), value)),
  ].join(' and ')
}

/** A range without its end. */
function rangeSql(type: ColumnType, from: string, to: string): string {
  switch (type) {
    case 'date':
      return `daterange(${from}, ${to})`
    case 'instant':
      return `tstzrange(${from}, ${to})`
    case 'integer':
      return `int8range(${from}, ${to})`
    default:
      return `numrange(${from}::numeric, ${to}::numeric)`
  }
}
