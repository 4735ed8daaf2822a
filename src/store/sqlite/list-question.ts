import type { ModelDescription, OwnedRelation } from '../../model/description.ts'
import type { Condition, QueryPlan } from '../../query/query-plan.ts'
import { type Access, isSorted } from '../sql/bounded.ts'
import type { Compilation } from '../sql/compilation.ts'
import { perRow } from '../sql/compile-condition.ts'
import { compileExact } from '../sql/compile-path.ts'
import { compilePassed, compileSelect, listed, type SelectOptions, whereOf } from '../sql/compile-plan.ts'
import { slotMark } from '../sql/compiled.ts'
import { goesOnSql } from '../sql/goes-on.ts'
import { allOfSql } from '../sql/logic.ts'
import type { Table } from '../sql/table.ts'
import type { ItemLine } from '../store.ts'
import type { Asked, Statement, Stroll } from './asking.ts'
import { compileJoined } from './compile-joined.ts'
import { dialect, fits } from './dialect.ts'
import { gatherBy, type Question, questionOf } from './question.ts'
import { columnsOf } from './rows.ts'

/** A list that is asked for, in all the ways there are to answer it. */
export interface ListQuestion extends Question {
  readonly stroll: Stroll
  /**
   * The rows, broken off where their texts come to too many bytes.
   * @param strolled only as many of the first rows along an index as satisfy the condition, in order
   */
  rows(form: RowForm, strolled?: boolean): Statement
  /** How many rows that takes at most; fewer where there are no more along the index. */
  passed(): Statement
  /** The lines of all with line feeds between, as a blob, and how many; then what each of the relations holds, as JSON. */
  joined(strolled: boolean, linked: readonly OwnedRelation[], line: ItemLine): Statement
  /** Of so many ids from this one on: the texts of those that satisfy the condition, with commas between, the last id, and how many ids. */
  stretch(from: string | undefined, count: number): Statement
  /** The values of the sort keys of one item. */
  keys(id: string): Statement
  /** Only the ids, in order. */
  ids(): Statement
  /** The items with these ids, in their order, where they still satisfy the condition. */
  fetch(ids: readonly string[]): Statement
  /** The same of a temporary table of ids and places, from the one place, exclusive, up to the other. */
  fetchPlaced(table: string, from: number, to: number): Statement
}

/** What is read of each item: its columns, these with the values of the sort keys behind them, or its id with these. */
export type RowForm = 'items' | 'placedItems' | 'places'

/** How many rows are looked at before it is left to the scan worker to look at all: a few milliseconds. */
export const strollRows = 2_000

/** Each list has a table of its own, but their statements differ in nothing else. */
const anyList = 'temp."any list"'

/** One is made for every list that is asked for, so its statements are methods, compiled when they are first asked for. */
export class AskedList implements ListQuestion {
  readonly kind: Access['kind']
  readonly most: number
  readonly stroll: Stroll
  readonly #model: ModelDescription
  readonly #asked: Asked<QueryPlan>

  constructor(model: ModelDescription, asked: Asked<QueryPlan>) {
    this.kind = asked.kind
    this.most = asked.most
    this.stroll = asked.stroll
    this.#model = model
    this.#asked = asked
  }

  probe(limit: number): Statement {
    return questionOf(this.#asked).probe(limit)
  }

  rows(form: RowForm, strolled = false): Statement {
    const columns = form === 'places' ? ['"id"'] : columnsOf(this.#model)
    const positions = form !== 'items'
    return this.#asked.statement(strolled ? `strolled ${form}` : form, (parts, question, access) => {
      const way = strolled ? { stroll: strollRows } : this.#way(question, access)
      const select = compileSelect(parts, this.#asked.table, question, { columns, positions, ...way })
      // The rows come in the order in which the inner query gives them.
      return form === 'places' ? select : `select * from (${select}) where ${fits('octet_length("text")')}`
    })
  }

  passed(): Statement {
    return this.#asked.statement('passed', (parts, question) =>
      compilePassed(parts, this.#asked.table, question, strollRows),
    )
  }

  joined(strolled: boolean, linked: readonly OwnedRelation[], line: ItemLine): Statement {
    const { table } = this.#asked
    const name = `${strolled ? 'strolled ' : ''}${line} ${linked.map((relation) => relation.name).join()}`
    return this.#asked.statement(name, (parts, question, access) => {
      const way = strolled ? { stroll: strollRows } : this.#way(question, access)
      return compileJoined(table, linked, line, (columns, expressions) =>
        compileSelect(parts, table, question, { columns, expressions, ...way }),
      )
    })
  }

  stretch(from: string | undefined, count: number): Statement {
    const { table, nextSlot } = this.#asked
    const isFirst = from === undefined
    return this.#asked.statement(
      isFirst ? 'first stretch' : 'stretch',
      (parts, { condition }) => {
        const where = isFirst ? '' : ` where f."id" > ${slotMark(nextSlot + 1)}`
        const ids = `select f.* from ${table.sql} f${where} order by f."id" limit ${dialect.limit(slotMark(nextSlot))}`
        const texts = `group_concat(${listed}."text", ',') filter (where ${allOfSql([goesOnSql(dialect, listed, condition), parts.condition(table, listed, condition), fits(`octet_length(${listed}."text")`)])})`
        return `select cast(${texts} as blob), max(${listed}."id"), count(*) from (${ids}) ${listed}`
      },
      isFirst ? [count] : [count, from],
    )
  }

  keys(id: string): Statement {
    const { table, nextSlot } = this.#asked
    return this.#asked.statement(
      'keys',
      (parts, { sort }) => {
        const keys = sort.map(({ path }) => compileExact(parts, table, listed, path))
        return `select ${keys.join(', ')} from ${table.sql} ${listed} where ${listed}."id" = ${slotMark(nextSlot)}`
      },
      [id],
    )
  }

  ids(): Statement {
    return this.#asked.statement('ids', (parts, question, access) =>
      compileSelect(parts, this.#asked.table, question, { columns: ['"id"'], isOutermost: true, ...gatherBy(access) }),
    )
  }

  fetch(ids: readonly string[]): Statement {
    const source = `select value as id, key as place from json_each(${slotMark(this.#asked.nextSlot)})`
    return this.#fetched('fetch', source, [JSON.stringify(ids)])
  }

  fetchPlaced(list: string, from: number, to: number): Statement {
    const { nextSlot } = this.#asked
    const isWanted = `place > ${slotMark(nextSlot)} and place <= ${slotMark(nextSlot + 1)}`
    const { sql, parameters } = this.#fetched('fetch placed', `select id, place from ${anyList} where ${isWanted}`, [
      from,
      to,
    ])
    return { sql: sql.replace(anyList, list), parameters }
  }

  #way(question: QueryPlan, access: Access): Pick<SelectOptions, 'gather' | 'isWalk' | 'idsFirst'> {
    const idsFirst = isSorted(this.#asked.table, question, access)
    return { ...gatherBy(access), isWalk: access.kind === 'walk', idsFirst }
  }

  #fetched(name: string, source: string, more: readonly unknown[]): Statement {
    const { table } = this.#asked
    return this.#asked.statement(
      name,
      (parts, question) => compileFetch(perRow(parts), table, question.condition, source),
      more,
    )
  }
}

function compileFetch(parts: Compilation, table: Table, condition: Condition, source: string): string {
  const columns = columnsOf(table.model)
    .map((column) => `${listed}.${column}`)
    .join(', ')
  const conditions = [goesOnSql(dialect, listed, condition), parts.condition(table, listed, condition)]
  const where = whereOf(allOfSql([...conditions, fits(`octet_length(${listed}."text")`)]))
  return `select ${columns} from (${source}) s cross join ${table.sql} ${listed} on ${listed}."id" = s.id${where} order by s.place`
}
