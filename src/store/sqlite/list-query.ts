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

/** A list that is asked for, in all the ways there are to answer it. */
export interface ListQuery extends SqlQuery {
  readonly trialScan: TrialScan
  /**
   * The rows, broken off where their texts come to too many bytes.
   * @param strolled only as many of the first rows along an index as satisfy the condition, in
   * order
   */
  rows(form: RowFormat, strolled?: boolean): Statement
  /** How many rows that takes at most; fewer where there are no more along the index. */
  trialScanCount(): Statement
  /**
   * The lines of all with line feeds between, as a blob, and how many; then what each of the
   * relations holds, as JSON.
   */
  rawLines(strolled: boolean, linked: readonly OwnedRelation[], line: RawLineFormat): Statement
  /**
   * Of so many ids from this one on: the texts of those that satisfy the condition, with commas
   * between, the last id, and how many ids.
   */
  idRange(from: string | undefined, count: number): Statement
  /** The values of the sort keys of one item. */
  sortKeys(id: string): Statement
  /** Only the ids, in order. */
  ids(): Statement
  /** The items with these ids, in their order, where they still satisfy the condition. */
  byIds(ids: readonly string[]): Statement
  /**
   * The same of a temporary table of ids and places, from the one place, exclusive, up to the
   * other.
   */
  byListRange(table: string, from: number, to: number): Statement
}

/**
 * What is read of each item: its columns, these with the values of the sort keys behind them, or
 * its id with these.
 */
export type RowFormat = 'items' | 'placedItems' | 'places'

/**
 * How many rows are looked at before it is left to the scan worker to look at all: a few
 * milliseconds.
 */
export const trialScanRows = 2_000

/** Each list has a table of its own, but their statements differ in nothing else. */
const listTablePlaceholder = 'temp."any list"'

/**
 * One is made for every list that is asked for, so its statements are methods, compiled when they
 * are first asked for.
 */
export class PreparedListQuery implements ListQuery {
  readonly kind: AccessPath['kind']
  readonly maxRows: number
  readonly trialScan: TrialScan
  readonly #model: ModelDescription
  readonly #asked: PreparedQuery<QueryPlan>

  constructor(model: ModelDescription, asked: PreparedQuery<QueryPlan>) {
    this.kind = asked.kind
    this.maxRows = asked.maxRows
    this.trialScan = asked.trialScan
    this.#model = model
    this.#asked = asked
  }

  probe(limit: number): Statement {
    return sqlQuery(this.#asked).probe(limit)
  }

  rows(form: RowFormat, strolled = false): Statement {
    const columns = form === 'places' ? ['"id"'] : itemColumns(this.#model)
    const positions = form !== 'items'
    return this.#asked.statement(
      strolled ? `strolled ${form}` : form,
      (parts, question, access) => {
        const way = strolled ? { trialScan: trialScanRows } : this.#way(question, access)
        const select = compileSelect(parts, this.#asked.table, question, {
          columns,
          includesPositions: positions,
          ...way,
        })
        // The rows come in the order in which the inner query gives them.
        return form === 'places'
          ? select
          : `select * from (${select}) where ${byteLimitCheck('octet_length("text")')}`
      },
    )
  }

  trialScanCount(): Statement {
    return this.#asked.statement('passed', (parts, question) =>
      compileTrialScanCount(parts, this.#asked.table, question, trialScanRows),
    )
  }

  rawLines(strolled: boolean, linked: readonly OwnedRelation[], line: RawLineFormat): Statement {
    const { table } = this.#asked
    const name = `${strolled ? 'strolled ' : ''}${line} ${linked.map((relation) => relation.name).join()}`
    return this.#asked.statement(name, (parts, question, access) => {
      const way = strolled ? { trialScan: trialScanRows } : this.#way(question, access)
      return compileRawLines(table, linked, line, (columns, expressions) =>
        compileSelect(parts, table, question, { columns, expressions, ...way }),
      )
    })
  }

  idRange(from: string | undefined, count: number): Statement {
    const { table, nextValueIndex } = this.#asked
    const isFirst = from === undefined
    return this.#asked.statement(
      isFirst ? 'first stretch' : 'stretch',
      (parts, { condition }) => {
        const where = isFirst ? '' : ` where f."id" > ${valueMark(nextValueIndex + 1)}`
        const ids = `select f.* from ${table.sql} f${where} order by f."id" limit ${sqliteDialect.limit(valueMark(nextValueIndex))}`
        const texts = `group_concat(${listAlias}."text", ',') filter (where ${allOfSql([interruptCheckSql(sqliteDialect, listAlias, condition), parts.compileCondition(table, listAlias, condition), byteLimitCheck(`octet_length(${listAlias}."text")`)])})`
        return `select cast(${texts} as blob), max(${listAlias}."id"), count(*) from (${ids}) ${listAlias}`
      },
      isFirst ? [count] : [count, from],
    )
  }

  sortKeys(id: string): Statement {
    const { table, nextValueIndex } = this.#asked
    return this.#asked.statement(
      'keys',
      (parts, { sort }) => {
        const keys = sort.map(({ path }) => compileLossless(parts, table, listAlias, path))
        return `select ${keys.join(', ')} from ${table.sql} ${listAlias} where ${listAlias}."id" = ${valueMark(nextValueIndex)}`
      },
      [id],
    )
  }

  ids(): Statement {
    return this.#asked.statement('ids', (parts, question, access) =>
      compileSelect(parts, this.#asked.table, question, {
        columns: ['"id"'],
        isOutermost: true,
        ...lookupOf(access),
      }),
    )
  }

  byIds(ids: readonly string[]): Statement {
    const source = `select value as id, key as place from json_each(${valueMark(this.#asked.nextValueIndex)})`
    return this.#fetched('fetch', source, [JSON.stringify(ids)])
  }

  byListRange(list: string, from: number, to: number): Statement {
    const { nextValueIndex } = this.#asked
    const isWanted = `place > ${valueMark(nextValueIndex)} and place <= ${valueMark(nextValueIndex + 1)}`
    const { sql, parameters } = this.#fetched(
      'fetch placed',
      `select id, place from ${listTablePlaceholder} where ${isWanted}`,
      [from, to],
    )
    return { sql: sql.replace(listTablePlaceholder, list), parameters }
  }

  #way(
    question: QueryPlan,
    access: AccessPath,
  ): Pick<SelectOptions, 'lookup' | 'isIndexScan' | 'idsFirst'> {
    const idsFirst = isSorted(this.#asked.table, question, access)
    return { ...lookupOf(access), isIndexScan: access.kind === 'walk', idsFirst }
  }

  #fetched(name: string, source: string, more: readonly unknown[]): Statement {
    const { table } = this.#asked
    return this.#asked.statement(
      name,
      (parts, question) =>
        compileByIds(perRowCompilation(parts), table, question.condition, source),
      more,
    )
  }
}

function compileByIds(
  parts: Compilation,
  table: Table,
  condition: Condition,
  source: string,
): string {
  const columns = itemColumns(table.model)
    .map((column) => `${listAlias}.${column}`)
    .join(', ')
  const conditions = [
    interruptCheckSql(sqliteDialect, listAlias, condition),
    parts.compileCondition(table, listAlias, condition),
  ]
  const where = whereSql(
    allOfSql([...conditions, byteLimitCheck(`octet_length(${listAlias}."text")`)]),
  )
  return `select ${columns} from (${source}) s cross join ${table.sql} ${listAlias} on ${listAlias}."id" = s.id${where} order by s.place`
}
