import type { Condition, QueryPlan, SearchCondition } from '../../query/query-plan.ts'
import type { Compilation } from './compilation.ts'
import { perRowCompilation } from './compile-condition.ts'
import {
  compileEachHasRelated,
  compileSelect,
  compileTrialScanCount,
  type SelectOptions,
} from './compile-plan.ts'
import { valueMark } from './compiled-statement.ts'
import type { Dialect } from './dialect.ts'
import { interruptCheckSql } from './interrupt-check.ts'
import { allOfSql, trueSql } from './logic.ts'
import type { ReadStrategy, RowEstimate } from './read-strategy.ts'
import { listAlias, whereSql } from './row-source.ts'
import { candidateRowsSql, hasBeginning } from './search-candidates.ts'
import { type SqlQuery, sqlQuery } from './sql-query.ts'
import type { PreparedQuery, Statement } from './statement-cache.ts'
import type { ReadableTable } from './table.ts'

/** What a row holds: an item, an item with its sort keys, or an id with its sort keys. */
export type RowContent = 'items' | 'itemsWithPositions' | 'idsWithPositions'

/**
 * Which rows a statement reads: those that the engine chooses, a number of rows of the index that
 * has the order of the plan (a trial scan), those that an index finds for the lookup of the
 * strategy, or those that indexes find from related items in the order of these (a related scan).
 * The last reads none where an item leads to no related one.
 */
export type RowSource =
  | { readonly kind: 'any' }
  | { readonly kind: 'trialScan'; readonly maxRows: number }
  | { readonly kind: 'lookup' }
  | { readonly kind: 'relatedScan' }

export const anyRows: RowSource = Object.freeze({ kind: 'any' })

/** Stands for the table of a list, so that all lists share one compiled statement. */
const listTablePlaceholder = 'temp."any list"'

/** The statements that can read a list. They compile on first use. */
export class ListQuery<S extends ReadStrategy, D extends Dialect = Dialect> implements SqlQuery<S> {
  readonly strategy: S
  readonly table: ReadableTable
  protected readonly dialect: D
  protected readonly prepared: PreparedQuery<QueryPlan, S>

  constructor(dialect: D, prepared: PreparedQuery<QueryPlan, S>) {
    this.strategy = prepared.strategy
    this.table = prepared.table
    this.dialect = dialect
    this.prepared = prepared
  }

  probe(limit: number): Statement {
    return sqlQuery(this.prepared).probe(limit)
  }

  /** The rows in order. Aborts above the byte limit. */
  rows(content: RowContent, source: RowSource): Statement {
    const { table } = this
    return this.prepared.statement(
      `${nameOf(source)}${content}`,
      (compilation, query, strategy) => {
        const check = table.rowCheck?.('r')
        const isChecked = check !== undefined
        const select = compileSelect(compilation, table, query, {
          columns:
            content === 'idsWithPositions'
              ? [table.idExpression(listAlias)]
              : table.itemExpressions(listAlias),
          includesPositions: content !== 'items',
          // In a subquery, rows keep their order for the sake of a limit.
          isOutermost: !isChecked,
          omitsKeys: !isChecked,
          ...sourceOptions(source, strategy, table),
        })
        return isChecked && content !== 'idsWithPositions'
          ? `select * from (${select}) r${whereSql(check)}`
          : select
      },
    )
  }

  /** Counts the rows that a trial scan reads: fewer than `maxRows` at the end of the index. */
  trialScanCount(maxRows: number): Statement {
    return this.prepared.statement(`trial ${maxRows} count`, (compilation, query) =>
      compileTrialScanCount(compilation, this.table, query, maxRows),
    )
  }

  /** How many rows the engine expects that indexes find for a search, and in the whole table. */
  estimate({ sql }: RowEstimate): Statement {
    const { table } = this
    return this.prepared.statement('estimate', (compilation, _, { lookup }) => {
      const search = lookup as SearchCondition
      const texts = hasBeginning(search) ? 'relatedTexts' : 'allTexts'
      const candidates = candidateRowsSql(compilation, table, search, '1', texts)!
      return sql([candidates.sql, `select 1 from ${table.sql} f`])
    })
  }

  /** Does each item have the related ones of a related scan? 1 or 0. */
  eachHasRelated(): Statement {
    return this.prepared.statement('each has related', (compilation, query) =>
      compileEachHasRelated(compilation, this.table, query),
    )
  }

  /** The ids in order. */
  ids(): Statement {
    return this.prepared.statement('ids', (compilation, query) =>
      compileSelect(compilation, this.table, query, {
        columns: [this.table.idExpression(listAlias)],
        isOutermost: true,
      }),
    )
  }

  /** The items with these ids that still satisfy the condition, in the order of the ids. */
  byIds(ids: readonly string[]): Statement {
    const { nextValueIndex } = this.prepared
    const source = this.dialect.listWithPositions(valueMark(nextValueIndex))
    return this.#itemsBySource('by ids', source, [this.dialect.binder.list(ids)])
  }

  /** The same for a table of ids and positions, from a position (exclusive) to a position. */
  byListRange(list: string, from: number, to: number): Statement {
    const { nextValueIndex } = this.prepared
    const isInRange = `position > ${valueMark(nextValueIndex)} and position <= ${valueMark(nextValueIndex + 1)}`
    const { sql, parameters } = this.#itemsBySource(
      'by list range',
      `select id, position from ${listTablePlaceholder} where ${isInRange}`,
      [from, to],
    )
    return { sql: sql.replace(listTablePlaceholder, list), parameters }
  }

  #itemsBySource(name: string, source: string, moreValues: readonly unknown[]): Statement {
    return this.prepared.statement(
      name,
      (compilation, { condition }) =>
        this.#compileByIds(perRowCompilation(compilation), condition, source),
      moreValues,
    )
  }

  #compileByIds(compilation: Compilation, condition: Condition, source: string): string {
    const { table } = this
    const from = this.dialect.joinByIndex(
      `(${source}) s`,
      table.sql,
      listAlias,
      `${table.id(listAlias)} = ${table.idForm?.operand('s.id') ?? 's.id'}`,
    )
    const where = whereSql(
      allOfSql([
        interruptCheckSql(this.dialect, table, listAlias, condition),
        compilation.compileCondition(table, listAlias, condition),
        table.rowCheck?.(listAlias) ?? trueSql,
      ]),
    )
    return `select ${table.itemExpressions(listAlias).join(', ')} from ${from}${where} order by s.position`
  }
}

/** The beginning of the names of statements with this source. */
export function nameOf(source: RowSource): string {
  switch (source.kind) {
    case 'any':
      return ''
    case 'trialScan':
      return `trial ${source.maxRows} `
    case 'lookup':
      return 'lookup '
    case 'relatedScan':
      return 'related '
  }
}

export function sourceOptions(
  source: RowSource,
  { lookup, isIndexScan = false, idsFirst = false }: ReadStrategy,
  { hasUniqueIds }: Pick<ReadableTable, 'hasUniqueIds'>,
): Pick<SelectOptions, 'lookup' | 'isIndexScan' | 'idsFirst' | 'trialScanRows' | 'isRelatedScan'> {
  switch (source.kind) {
    case 'any':
      // Each row would be joined with all rows of its id.
      return { isIndexScan, idsFirst: idsFirst && hasUniqueIds }
    case 'trialScan':
      return { trialScanRows: source.maxRows }
    case 'lookup':
      return { idsFirst: true, lookup: lookup! }
    case 'relatedScan':
      return { idsFirst: true, isRelatedScan: true }
  }
}
