import type { OwnedRelation } from '../../model/model-description.ts'
import { conjunctsOf } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'
import type { RawLineFormat } from '../../stored-item/raw-lines.ts'
import type { Compilation } from './compilation.ts'
import { compileSelect } from './compile-plan.ts'
import { compileRawLines } from './compile-raw-lines.ts'
import { compileSortPosition } from './compile-sort-key.ts'
import { valueMark } from './compiled-statement.ts'
import type { DocumentDialect } from './document-dialect.ts'
import { isRange } from './index-scan.ts'
import { interruptCheckSql } from './interrupt-check.ts'
import { ListQuery, nameOf, type RowSource, sourceOptions } from './list-query.ts'
import { allOfSql } from './logic.ts'
import type { ReadStrategy } from './read-strategy.ts'
import { listAlias, whereSql } from './row-source.ts'
import type { Statement } from './statement-cache.ts'
import type { Table } from './table.ts'

/** What can be read of a list of documents besides: their texts, joined by the engine. */
export class DocumentList<S extends ReadStrategy> extends ListQuery<S, DocumentDialect> {
  /** All rows as one row of raw lines, see `compileRawLines`. */
  rawLines(linked: readonly OwnedRelation[], format: RawLineFormat, source: RowSource): Statement {
    const { table } = this
    const relationNames = linked.map((relation) => relation.name).join()
    return this.prepared.statement(
      `${nameOf(source)}${format} ${relationNames}`,
      (compilation, query, strategy) =>
        compileRawLines(this.dialect, table, linked, format, (columns) =>
          compileSelect(compilation, table, query, {
            columns,
            ...sourceOptions(source, strategy, table),
          }),
        ),
    )
  }

  /**
   * One row about `count` ids after this one: the texts of the items that satisfy the condition,
   * joined by commas, the last id, and the number of ids.
   */
  idRange(from: string | undefined, count: number): Statement {
    const { nextValueIndex } = this.prepared
    const isFirst = from === undefined
    return this.prepared.statement(
      isFirst ? 'first id range' : 'id range',
      (compilation, { condition }) => {
        const { table } = this
        const rows = idRangeSql(compilation, table, condition, 'f.*', nextValueIndex, isFirst)
        const filter = allOfSql([
          interruptCheckSql(this.dialect, table, listAlias, condition),
          compilation.compileCondition(table, listAlias, condition),
          table.rowCheck!(listAlias),
        ])
        const texts = this.dialect.joinTexts(`${listAlias}."text"`, ',', filter)
        return `select ${this.dialect.bytes(texts)}, max(${listAlias}."id"), count(*) from (${rows}) ${listAlias}`
      },
      isFirst ? [count] : [count, from],
    )
  }

  /** The last of `count` ids after this one, and the number of ids. */
  idRangeEnd(from: string | undefined, count: number): Statement {
    const { nextValueIndex } = this.prepared
    const isFirst = from === undefined
    return this.prepared.statement(
      isFirst ? 'first id range end' : 'id range end',
      (compilation, { condition }) =>
        `select max(r."id"), count(*) from (${idRangeSql(compilation, this.table, condition, 'f."id"', nextValueIndex, isFirst)}) r`,
      isFirst ? [count] : [count, from],
    )
  }

  /** The values of the sort keys of one item. */
  sortKeys(id: string): Statement {
    const { nextValueIndex } = this.prepared
    return this.prepared.statement(
      'sort keys',
      (compilation, { sort }) => {
        const { table } = this
        const keys = sort.map((key) => compileSortPosition(compilation, table, listAlias, key))
        return `select ${keys.join(', ')} from ${table.sql} ${listAlias} where ${listAlias}."id" = ${valueMark(nextValueIndex)}`
      },
      [id],
    )
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
  const operands = conjunctsOf(condition)
  const bounds = operands
    .filter((operand) => isRange(operand, undefined))
    .map((operand) => compilation.compileCondition(table, 'f', operand))
  const start = isFirst ? [] : [`f."id" > ${valueMark(valueIndex + 1)}`]
  const where = whereSql(allOfSql([...bounds, ...start]))
  return `select ${columns} from ${table.sql} f${where} order by f."id" limit ${compilation.dialect.limit(valueMark(valueIndex))}`
}
