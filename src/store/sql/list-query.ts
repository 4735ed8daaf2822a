import type { ModelDescription, OwnedRelation } from '../../model/model-description.ts'
import type { Condition, QueryPlan } from '../../query/query-plan.ts'
import type { RawLineFormat } from '../../stored-item/raw-lines.ts'
import type { Compilation } from './compilation.ts'
import { perRowCompilation } from './compile-condition.ts'
import { compileLossless } from './compile-path.ts'
import {
  compileEachHasRelated,
  compileSelect,
  compileTrialScanCount,
  listAlias,
  type SelectOptions,
  whereSql,
} from './compile-plan.ts'
import { compileRawLines } from './compile-raw-lines.ts'
import { valueMark } from './compiled-statement.ts'
import type { DocumentDialect } from './document-dialect.ts'
import { isRange } from './index-scan.ts'
import { interruptCheckSql } from './interrupt-check.ts'
import { allOfSql } from './logic.ts'
import type { ReadStrategy } from './read-strategy.ts'
import { itemColumns } from './rows.ts'
import { type SqlQuery, sqlQuery } from './sql-query.ts'
import type { PreparedQuery, Statement } from './statement-cache.ts'
import type { Table } from './table.ts'

/** The columns of a row: an item, an item with its sort keys, or an id with its sort keys. */
export type RowFormat = 'items' | 'itemsWithPositions' | 'idsWithPositions'

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

/** Stands for the table of a list, so that all lists share one compiled statement. */
const listTablePlaceholder = 'temp."any list"'

/** The statements that can read a list. They compile on first use. */
export class ListQuery<S extends ReadStrategy> implements SqlQuery<S> {
  readonly strategy: S
  readonly #dialect: DocumentDialect
  readonly #model: ModelDescription
  readonly #prepared: PreparedQuery<QueryPlan, S>

  constructor(
    dialect: DocumentDialect,
    model: ModelDescription,
    prepared: PreparedQuery<QueryPlan, S>,
  ) {
    this.strategy = prepared.strategy
    this.#dialect = dialect
    this.#model = model
    this.#prepared = prepared
  }

  /** The number of columns of an item; rows may have sort keys after it. */
  get itemWidth(): number {
    return itemColumns(this.#model).length
  }

  probe(limit: number): Statement {
    return sqlQuery(this.#prepared).probe(limit)
  }

  /** The rows in order. Aborts above the byte limit. */
  rows(format: RowFormat, source: RowSource): Statement {
    const { table } = this.#prepared
    const columns = format === 'idsWithPositions' ? ['"id"'] : itemColumns(this.#model)
    const includesPositions = format !== 'items'
    return this.#prepared.statement(
      `${nameOf(source)}${format}`,
      (compilation, query, strategy) => {
        const select = compileSelect(compilation, table, query, {
          columns,
          includesPositions,
          ...sourceOptions(source, strategy),
        })
        // The rows keep the order of the inner query.
        return format === 'idsWithPositions'
          ? select
          : `select * from (${select}) r${whereSql(this.#dialect.byteLimitCheck('octet_length("text")'))}`
      },
    )
  }

  /** Counts the rows that a trial scan reads: fewer than `maxRows` at the end of the index. */
  trialScanCount(maxRows: number): Statement {
    return this.#prepared.statement(`trial ${maxRows} count`, (compilation, query) =>
      compileTrialScanCount(compilation, this.#prepared.table, query, maxRows),
    )
  }

  /** Does each item have the related ones of a related scan? 1 or 0. */
  eachHasRelated(): Statement {
    return this.#prepared.statement('each has related', (compilation, query) =>
      compileEachHasRelated(compilation, this.#prepared.table, query),
    )
  }

  /** All rows as one row of raw lines, see `compileRawLines`. */
  rawLines(linked: readonly OwnedRelation[], format: RawLineFormat, source: RowSource): Statement {
    const { table } = this.#prepared
    const relationNames = linked.map((relation) => relation.name).join()
    return this.#prepared.statement(
      `${nameOf(source)}${format} ${relationNames}`,
      (compilation, query, strategy) =>
        compileRawLines(this.#dialect, table, linked, format, (columns, expressions) =>
          compileSelect(compilation, table, query, {
            columns,
            expressions,
            ...sourceOptions(source, strategy),
          }),
        ),
    )
  }

  /**
   * One row about `count` ids after this one: the texts of the items that satisfy the condition,
   * joined by commas, the last id, and the number of ids.
   */
  idRange(from: string | undefined, count: number): Statement {
    const { table, nextValueIndex } = this.#prepared
    const isFirst = from === undefined
    return this.#prepared.statement(
      isFirst ? 'first id range' : 'id range',
      (compilation, { condition }) => {
        const rows = idRangeSql(compilation, table, condition, 'f.*', nextValueIndex, isFirst)
        const filter = allOfSql(this.#itemConditions(compilation, condition))
        const texts = this.#dialect.joinTexts(`${listAlias}."text"`, ',', filter)
        return `select ${this.#dialect.bytes(texts)}, max(${listAlias}."id"), count(*) from (${rows}) ${listAlias}`
      },
      isFirst ? [count] : [count, from],
    )
  }

  /** The last of `count` ids after this one, and the number of ids. */
  idRangeEnd(from: string | undefined, count: number): Statement {
    const { table, nextValueIndex } = this.#prepared
    const isFirst = from === undefined
    return this.#prepared.statement(
      isFirst ? 'first id range end' : 'id range end',
      (compilation, { condition }) =>
        `select max(r."id"), count(*) from (${idRangeSql(compilation, table, condition, 'f."id"', nextValueIndex, isFirst)}) r`,
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
    return this.#prepared.statement('ids', (compilation, query) =>
      compileSelect(compilation, this.#prepared.table, query, {
        columns: ['"id"'],
        isOutermost: true,
      }),
    )
  }

  /** The items with these ids that still satisfy the condition, in the order of the ids. */
  byIds(ids: readonly string[]): Statement {
    const { nextValueIndex } = this.#prepared
    const source = this.#dialect.listWithPositions(valueMark(nextValueIndex))
    return this.#itemsBySource('by ids', source, [this.#dialect.binder.list(ids)])
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
    return this.#prepared.statement(
      name,
      (compilation, query) =>
        this.#compileByIds(perRowCompilation(compilation), query.condition, source),
      moreValues,
    )
  }

  #compileByIds(compilation: Compilation, condition: Condition, source: string): string {
    const { table } = this.#prepared
    const columns = itemColumns(table.model).map((column) => `${listAlias}.${column}`)
    const from = this.#dialect.joinInOrder(
      `(${source}) s`,
      `${table.sql} ${listAlias}`,
      `${listAlias}."id" = s.id`,
    )
    const where = whereSql(allOfSql(this.#itemConditions(compilation, condition)))
    return `select ${columns.join(', ')} from ${from}${where} order by s.position`
  }

  /** The condition of a row whose text is read, with the checks of a long statement. */
  #itemConditions(compilation: Compilation, condition: Condition): readonly string[] {
    return [
      interruptCheckSql(this.#dialect, this.#prepared.table, listAlias, condition),
      compilation.compileCondition(this.#prepared.table, listAlias, condition),
      this.#dialect.byteLimitCheck(`octet_length(${listAlias}."text")`),
    ]
  }
}

/**
 * The rows of so many ids, whether or not they satisfy the condition, except that its bounds of the
 * id bound them too. The value with this index is the number of ids, and the next one the id before
 * them.
 */
function idRangeSql(
  compilation: Compilation,
  table: Table,
  condition: Condition,
  columns: string,
  valueIndex: number,
  isFirst: boolean,
): string {
  const operands = condition.kind === 'and' ? condition.conditions : [condition]
  const bounds = operands
    .filter((operand) => isRange(operand, undefined))
    .map((operand) => compilation.compileCondition(table, 'f', operand))
  const start = isFirst ? [] : [`f."id" > ${valueMark(valueIndex + 1)}`]
  const where = whereSql(allOfSql([...bounds, ...start]))
  return `select ${columns} from ${table.sql} f${where} order by f."id" limit ${compilation.dialect.limit(valueMark(valueIndex))}`
}

/** The beginning of the names of statements with this source. */
function nameOf(source: RowSource): string {
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

function sourceOptions(
  source: RowSource,
  { lookup, isIndexScan = false, idsFirst = false }: ReadStrategy,
): Pick<SelectOptions, 'lookup' | 'isIndexScan' | 'idsFirst' | 'trialScanRows' | 'isRelatedScan'> {
  switch (source.kind) {
    case 'any':
      return { isIndexScan, idsFirst }
    case 'trialScan':
      return { trialScanRows: source.maxRows }
    case 'lookup':
      return { idsFirst: true, lookup: lookup! }
    case 'relatedScan':
      return { idsFirst: true, isRelatedScan: true }
  }
}
