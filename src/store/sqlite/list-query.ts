import type { ModelDescription, OwnedRelation } from '../../model/model-description.ts'
import type { Condition, QueryPlan } from '../../query/query-plan.ts'
import type { RawLineFormat } from '../../stored-item/raw-lines.ts'
import { type AccessPath, isSorted } from '../sql/access-path.ts'
import type { Compilation } from '../sql/compilation.ts'
import { perRowCompilation } from '../sql/compile-condition.ts'
import { compileLossless } from '../sql/compile-path.ts'
import {
  compileSelect,
  compileTrialScanCount,
  listAlias,
  type SelectOptions,
  whereSql,
} from '../sql/compile-plan.ts'
import { valueMark } from '../sql/compiled-statement.ts'
import { interruptCheckSql } from '../sql/interrupt-check.ts'
import { allOfSql } from '../sql/logic.ts'
import type { Table } from '../sql/table.ts'
import { compileRawLines } from './compile-raw-lines.ts'
import { byteLimitCheck, sqliteDialect } from './dialect.ts'
import { itemColumns } from './rows.ts'
import { lookupOf, type SqlQuery, sqlQuery } from './sql-query.ts'
import type { PreparedQuery, Statement, TrialScan } from './statement-cache.ts'

/** The statements that can read a list. */
export interface ListQuery extends SqlQuery {
  readonly trialScan: TrialScan
  /**
   * The rows in order. Aborts above the byte limit.
   * @param isTrial reads only the first rows of an index scan that satisfy the condition
   */
  rows(format: RowFormat, isTrial?: boolean): Statement
  /**
   * Counts the rows that a trial scan reads; fewer than `trialScanRows` at the end of the index.
   */
  trialScanCount(): Statement
  /** All rows as one row of raw lines, see `compileRawLines`. */
  rawLines(isTrial: boolean, linked: readonly OwnedRelation[], format: RawLineFormat): Statement
  /**
   * One row about `count` ids after this one: the texts of the items that satisfy the condition,
   * joined by commas, the last id, and the number of ids.
   */
  idRange(from: string | undefined, count: number): Statement
  /** The values of the sort keys of one item. */
  sortKeys(id: string): Statement
  /** The ids in order. */
  ids(): Statement
  /** The items with these ids that still satisfy the condition, in the order of the ids. */
  byIds(ids: readonly string[]): Statement
  /** The same for a table of ids and positions, from a position (exclusive) to a position. */
  byListRange(table: string, from: number, to: number): Statement
}

/** The columns of a row: an item, an item with its sort keys, or an id with its sort keys. */
export type RowFormat = 'items' | 'itemsWithPositions' | 'idsWithPositions'

/**
 * How many rows a trial scan reads on the main thread, before a worker scans the table: a few
 * milliseconds.
 */
export const trialScanRows = 2_000

/** Stands for the table of a list, so that all lists share one compiled statement. */
const listTablePlaceholder = 'temp."any list"'

/** Created for every list, so its statements are methods that compile on first use. */
export class PreparedListQuery implements ListQuery {
  readonly kind: AccessPath['kind']
  readonly maxRows: number
  readonly trialScan: TrialScan
  readonly #model: ModelDescription
  readonly #prepared: PreparedQuery<QueryPlan>

  constructor(model: ModelDescription, prepared: PreparedQuery<QueryPlan>) {
    this.kind = prepared.kind
    this.maxRows = prepared.maxRows
    this.trialScan = prepared.trialScan
    this.#model = model
    this.#prepared = prepared
  }

  probe(limit: number): Statement {
    return sqlQuery(this.#prepared).probe(limit)
  }

  rows(format: RowFormat, isTrial = false): Statement {
    const columns = format === 'idsWithPositions' ? ['"id"'] : itemColumns(this.#model)
    const includesPositions = format !== 'items'
    return this.#prepared.statement(
      isTrial ? `trial ${format}` : format,
      (compilation, query, access) => {
        const scan = isTrial ? { trialScanRows } : this.#scanOptions(query, access)
        const select = compileSelect(compilation, this.#prepared.table, query, {
          columns,
          includesPositions,
          ...scan,
        })
        // The rows keep the order of the inner query.
        return format === 'idsWithPositions'
          ? select
          : `select * from (${select}) where ${byteLimitCheck('octet_length("text")')}`
      },
    )
  }

  trialScanCount(): Statement {
    return this.#prepared.statement('trial count', (compilation, query) =>
      compileTrialScanCount(compilation, this.#prepared.table, query, trialScanRows),
    )
  }

  rawLines(isTrial: boolean, linked: readonly OwnedRelation[], format: RawLineFormat): Statement {
    const { table } = this.#prepared
    const name = `${isTrial ? 'trial ' : ''}${format} ${linked.map((relation) => relation.name).join()}`
    return this.#prepared.statement(name, (compilation, query, access) => {
      const scan = isTrial ? { trialScanRows } : this.#scanOptions(query, access)
      return compileRawLines(table, linked, format, (columns, expressions) =>
        compileSelect(compilation, table, query, { columns, expressions, ...scan }),
      )
    })
  }

  idRange(from: string | undefined, count: number): Statement {
    const { table, nextValueIndex } = this.#prepared
    const isFirst = from === undefined
    return this.#prepared.statement(
      isFirst ? 'first id range' : 'id range',
      (compilation, { condition }) => {
        const where = isFirst ? '' : ` where f."id" > ${valueMark(nextValueIndex + 1)}`
        const ids = `select f.* from ${table.sql} f${where} order by f."id" limit ${sqliteDialect.limit(valueMark(nextValueIndex))}`
        const texts = `group_concat(${listAlias}."text", ',') filter (where ${allOfSql([interruptCheckSql(sqliteDialect, listAlias, condition), compilation.compileCondition(table, listAlias, condition), byteLimitCheck(`octet_length(${listAlias}."text")`)])})`
        return `select cast(${texts} as blob), max(${listAlias}."id"), count(*) from (${ids}) ${listAlias}`
      },
      isFirst ? [count] : [count, from],
    )
  }

  sortKeys(id: string): Statement {
    const { table, nextValueIndex } = this.#prepared
    return this.#prepared.statement(
      'sort keys',
      (compilation, { sort }) => {
        const keys = sort.map(({ path }) => compileLossless(compilation, table, listAlias, path))
        return `select ${keys.join(', ')} from ${table.sql} ${listAlias} where ${listAlias}."id" = ${valueMark(nextValueIndex)}`
      },
      [id],
    )
  }

  ids(): Statement {
    return this.#prepared.statement('ids', (compilation, query, access) =>
      compileSelect(compilation, this.#prepared.table, query, {
        columns: ['"id"'],
        isOutermost: true,
        ...lookupOf(access),
      }),
    )
  }

  byIds(ids: readonly string[]): Statement {
    const source = `select value as id, key as position from json_each(${valueMark(this.#prepared.nextValueIndex)})`
    return this.#itemsBySource('by ids', source, [JSON.stringify(ids)])
  }

  byListRange(list: string, from: number, to: number): Statement {
    const { nextValueIndex } = this.#prepared
    const isInRange = `position > ${valueMark(nextValueIndex)} and position <= ${valueMark(nextValueIndex + 1)}`
    const { sql, parameters } = this.#itemsBySource(
      'by list range',
      `select id, position from ${listTablePlaceholder} where ${isInRange}`,
      [from, to],
    )
    return { sql: sql.replace(listTablePlaceholder, list), parameters }
  }

  #scanOptions(
    query: QueryPlan,
    access: AccessPath,
  ): Pick<SelectOptions, 'lookup' | 'isIndexScan' | 'idsFirst'> {
    const idsFirst = isSorted(this.#prepared.table, query, access)
    return { ...lookupOf(access), isIndexScan: access.kind === 'indexScan', idsFirst }
  }

  #itemsBySource(name: string, source: string, moreValues: readonly unknown[]): Statement {
    const { table } = this.#prepared
    return this.#prepared.statement(
      name,
      (compilation, query) =>
        compileByIds(perRowCompilation(compilation), table, query.condition, source),
      moreValues,
    )
  }
}

function compileByIds(
  compilation: Compilation,
  table: Table,
  condition: Condition,
  source: string,
): string {
  const columns = itemColumns(table.model)
    .map((column) => `${listAlias}.${column}`)
    .join(', ')
  const conditions = [
    interruptCheckSql(sqliteDialect, listAlias, condition),
    compilation.compileCondition(table, listAlias, condition),
  ]
  const where = whereSql(
    allOfSql([...conditions, byteLimitCheck(`octet_length(${listAlias}."text")`)]),
  )
  return `select ${columns} from (${source}) s cross join ${table.sql} ${listAlias} on ${listAlias}."id" = s.id${where} order by s.position`
}
