import type { ModelDescription, OwnedRelation } from '../../model/model-description.ts'
import type { Condition, QueryPlan } from '../../query/query-plan.ts'
import type { RawLineFormat } from '../../stored-item/raw-lines.ts'
import type { Compilation } from './compilation.ts'
import { perRowCompilation } from './compile-condition.ts'
import { compileLossless } from './compile-path.ts'
import {
  compileSelect,
  compileTrialScanCount,
  listAlias,
  type SelectOptions,
  whereSql,
} from './compile-plan.ts'
import { compileRawLines } from './compile-raw-lines.ts'
import { valueMark } from './compiled-statement.ts'
import { interruptCheckSql } from './interrupt-check.ts'
import { allOfSql } from './logic.ts'
import type { ReadStrategy } from './read-strategy.ts'
import { itemColumns } from './rows.ts'
import { type SqlQuery, sqlQuery } from './sql-query.ts'
import type { PreparedQuery, Statement } from './statement-cache.ts'
import type { Table } from './table.ts'

/** The columns of a row: an item, an item with its sort keys, or an id with its sort keys. */
export type RowFormat = 'items' | 'itemsWithPositions' | 'idsWithPositions'

/** Stands for the table of a list, so that all lists share one compiled statement. */
const listTablePlaceholder = 'temp."any list"'

/** The statements that can read a list. They compile on first use. */
export class ListQuery<S extends ReadStrategy> implements SqlQuery<S> {
  readonly strategy: S
  readonly #model: ModelDescription
  readonly #prepared: PreparedQuery<QueryPlan, S>

  constructor(model: ModelDescription, prepared: PreparedQuery<QueryPlan, S>) {
    this.strategy = prepared.strategy
    this.#model = model
    this.#prepared = prepared
  }

  probe(limit: number): Statement {
    return sqlQuery(this.#prepared).probe(limit)
  }

  /**
   * The rows in order. Aborts above the byte limit.
   * @param trialScanRows reads only so many rows of an index scan, and returns those that satisfy
   * the condition
   */
  rows(format: RowFormat, trialScanRows?: number): Statement {
    const { dialect, table } = this.#prepared
    const columns = format === 'idsWithPositions' ? ['"id"'] : itemColumns(this.#model)
    const includesPositions = format !== 'items'
    return this.#prepared.statement(
      `${trialName(trialScanRows)}${format}`,
      (compilation, query, strategy) => {
        const select = compileSelect(compilation, table, query, {
          columns,
          includesPositions,
          ...scanOptions(strategy, trialScanRows),
        })
        // The rows keep the order of the inner query.
        return format === 'idsWithPositions'
          ? select
          : `select * from (${select}) r${whereSql(dialect.byteLimitCheck('octet_length("text")'))}`
      },
    )
  }

  /** Counts the rows that a trial scan reads; fewer than `trialScanRows` at the end of the index. */
  trialScanCount(trialScanRows: number): Statement {
    return this.#prepared.statement(`${trialName(trialScanRows)}count`, (compilation, query) =>
      compileTrialScanCount(compilation, this.#prepared.table, query, trialScanRows),
    )
  }

  /** All rows as one row of raw lines, see `compileRawLines`. */
  rawLines(
    linked: readonly OwnedRelation[],
    format: RawLineFormat,
    trialScanRows?: number,
  ): Statement {
    const { dialect, table } = this.#prepared
    const relationNames = linked.map((relation) => relation.name).join()
    return this.#prepared.statement(
      `${trialName(trialScanRows)}${format} ${relationNames}`,
      (compilation, query, strategy) =>
        compileRawLines(dialect, table, linked, format, (columns, expressions) =>
          compileSelect(compilation, table, query, {
            columns,
            expressions,
            ...scanOptions(strategy, trialScanRows),
          }),
        ),
    )
  }

  /**
   * One row about `count` ids after this one: the texts of the items that satisfy the condition,
   * joined by commas, the last id, and the number of ids.
   */
  idRange(from: string | undefined, count: number): Statement {
    const { dialect, table, nextValueIndex } = this.#prepared
    const isFirst = from === undefined
    return this.#prepared.statement(
      isFirst ? 'first id range' : 'id range',
      (compilation, { condition }) => {
        const where = isFirst ? '' : ` where f."id" > ${valueMark(nextValueIndex + 1)}`
        const limit = dialect.limit(valueMark(nextValueIndex))
        const ids = `select f.* from ${table.sql} f${where} order by f."id" limit ${limit}`
        const filter = allOfSql(itemConditions(compilation, table, condition))
        const texts = dialect.joinTexts(`${listAlias}."text"`, ',', filter)
        return `select ${dialect.bytes(texts)}, max(${listAlias}."id"), count(*) from (${ids}) ${listAlias}`
      },
      isFirst ? [count] : [count, from],
    )
  }

  /** The values of the sort keys of one item. */
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

  /** The ids in order. */
  ids(): Statement {
    return this.#prepared.statement('ids', (compilation, query, { lookup }) =>
      compileSelect(compilation, this.#prepared.table, query, {
        columns: ['"id"'],
        isOutermost: true,
        ...(lookup && { lookup }),
      }),
    )
  }

  /** The items with these ids that still satisfy the condition, in the order of the ids. */
  byIds(ids: readonly string[]): Statement {
    const { dialect, nextValueIndex } = this.#prepared
    const source = dialect.listWithPositions(valueMark(nextValueIndex))
    return this.#itemsBySource('by ids', source, [dialect.binder.list(ids)])
  }

  /** The same for a table of ids and positions, from a position (exclusive) to a position. */
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

function trialName(trialScanRows: number | undefined): string {
  return trialScanRows === undefined ? '' : `trial ${trialScanRows} `
}

function scanOptions(
  { lookup, isIndexScan = false, idsFirst = false }: ReadStrategy,
  trialScanRows: number | undefined,
): Pick<SelectOptions, 'lookup' | 'isIndexScan' | 'idsFirst' | 'trialScanRows'> {
  if (trialScanRows !== undefined) return { trialScanRows }
  return { isIndexScan, idsFirst, ...(lookup && { lookup }) }
}

function compileByIds(
  compilation: Compilation,
  table: Table,
  condition: Condition,
  source: string,
): string {
  const columns = itemColumns(table.model).map((column) => `${listAlias}.${column}`)
  const from = compilation.dialect.joinInOrder(
    `(${source}) s`,
    `${table.sql} ${listAlias}`,
    `${listAlias}."id" = s.id`,
  )
  const where = whereSql(allOfSql(itemConditions(compilation, table, condition)))
  return `select ${columns.join(', ')} from ${from}${where} order by s.position`
}

/** The condition of a row whose text is read, with the checks of a long statement. */
function itemConditions(
  compilation: Compilation,
  table: Table,
  condition: Condition,
): readonly string[] {
  const { dialect } = compilation
  return [
    interruptCheckSql(dialect, listAlias, condition),
    compilation.compileCondition(table, listAlias, condition),
    dialect.byteLimitCheck(`octet_length(${listAlias}."text")`),
  ]
}
