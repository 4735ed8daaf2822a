import type { ManyRelation, ModelDescription, OwnedRelation } from '../../model/description.ts'
import { both, relatesTo } from '../../query/conditions.ts'
import type { Condition, QueryPlan, SlicePlan } from '../../query/query-plan.ts'
import type { Access } from '../sql/bounded.ts'
import type { Compilation } from '../sql/compilation.ts'
import { compileExact } from '../sql/compile-path.ts'
import {
  compileCount,
  compileFind,
  compilePassed,
  compileProbe,
  compileSelect,
  listed,
  whereOf,
} from '../sql/compile-plan.ts'
import { compileLinks, compilePages, linkOf } from '../sql/compile-related.ts'
import { slotMark } from '../sql/compiled.ts'
import type { Table, TableOf } from '../sql/table.ts'
import type { ItemLine } from '../store.ts'
import { hashLength } from '../text-item.ts'
import { type Asked, asking, ofConditions, ofPlans, type Statement, type Stroll } from './asking.ts'
import { dialect } from './dialect.ts'
import { columnsOf } from './rows.ts'

/** Makes statements of conditions and plans. */
export interface Queries {
  find(model: ModelDescription, condition: Condition): Statement
  /** The hash alone of what `find` finds. */
  version(model: ModelDescription, condition: Condition): Statement
  list(model: ModelDescription, plan: QueryPlan): ListQuestion
  count(model: ModelDescription, condition: Condition): CountQuestion
  related(model: ModelDescription, relation: ManyRelation, owners: readonly string[], plan: SlicePlan): RelatedQuestion
  /** The id that is so many ids further on, if there is one. */
  boundary(model: ModelDescription, from: string | undefined, count: number): Statement
}

export interface Question {
  readonly kind: Access['kind']
  /** How many rows there are to gather at most. */
  readonly most: number
  /** Counts the rows to gather, but not far beyond the limit. */
  probe(limit: number): Statement
}

export interface ListQuestion extends Question {
  items(): Statement
  /** With the values of the sort keys behind the item's columns. */
  places(): Statement
  readonly stroll: Stroll
  /** As many of the first rows along an index as satisfy the condition, in order, with or without the values of the sort keys. */
  strolled(positions: boolean): Statement
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

export interface RelatedQuestion {
  /** Whether an index leads from an owner to its items in the order of the plan, and is left as soon as the page is full. */
  readonly isWalk: boolean
  /** Counts what the owners relate to, but not beyond the limit. */
  probe(limit: number): Statement
  /** The items of each owner's page, the values of their sort keys, and the owner. */
  pages(): Statement
}

export interface CountQuestion extends Question {
  count(): Statement
}

/** How many rows are looked at before it is left to the scan worker to look at all: a few milliseconds. */
export const strollRows = 2_000

/** Each list has a table of its own, but their statements differ in nothing else. */
const anyList = 'temp."any list"'

export function queries(tableOf: TableOf): Queries {
  const conditions = asking(ofConditions, tableOf)
  const plans = asking(ofPlans, tableOf)
  return {
    find: (model, condition) =>
      conditions(tableOf(model), condition).statement('find', (parts, question) =>
        compileFind(parts, tableOf(model), question, columnsOf(model)),
      ),

    version: (model, condition) =>
      conditions(tableOf(model), condition).statement('version', (parts, question) =>
        compileFind(parts, tableOf(model), question, ['"hash"']),
      ),

    list: (model, plan) => new AskedList(model, plans(tableOf(model), plan)),

    related(model, relation, owners, plan) {
      const asked = plans(tableOf(relation.target), plan)
      const link = linkOf(dialect, tableOf, model, relation)
      const name = `${model.name}.${relation.name}`
      const more = [dialect.binder.list(owners)]
      return {
        isWalk: walksFrom(relation, plan, (alone) => plans(asked.table, alone).kind),
        probe: (limit) =>
          asked.statement(
            `probe ${limit} ${name}`,
            (parts) => compileLinks(parts, asked.table, link, asked.nextSlot, limit),
            more,
          ),
        pages: () => {
          const columns = columnsOf(relation.target)
          const compile = (parts: Compilation, question: QueryPlan) =>
            compilePages(parts, asked.table, question, { columns, link, owners: asked.nextSlot })
          return asked.statement(`pages ${name}`, compile, more)
        },
      }
    },

    boundary(model, from, count) {
      const where = from === undefined ? '' : ' where id > ?1'
      const sql = `select id from ${tableOf(model).sql}${where} order by id limit 1 offset ${count - 1}`
      return { sql, parameters: from === undefined ? [] : [from] }
    },

    count(model, condition) {
      const asked = conditions(tableOf(model), condition)
      return {
        ...questionOf(asked),
        count: () =>
          asked.statement('count', (parts, question, access) =>
            compileCount(parts, asked.table, question, gatherBy(access).gather),
          ),
      }
    },
  }
}

function walksFrom(relation: ManyRelation, plan: SlicePlan, kindOf: (alone: QueryPlan) => Access['kind']): boolean {
  if (relation.kind === 'inverse' && relation.of.kind === 'toOne') {
    const ofOne = relatesTo(relation.of.name, 'toOne', ['any owner'])
    return kindOf({ ...plan, condition: both(ofOne, plan.condition) }) === 'walk'
  }
  // The pairs of a relation to many stand in the order of ids, and say nothing else of the items.
  return plan.sort.length === 0 && (plan.condition.kind === 'always' || plan.condition.kind === 'never')
}

/** One is made for every list that is asked for, so its statements are methods, compiled when they are first asked for. */
class AskedList implements ListQuestion {
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

  strolled(positions: boolean): Statement {
    const columns = columnsOf(this.#model)
    return this.#asked.statement(positions ? 'strolled places' : 'strolled', (parts, question) =>
      compileSelect(parts, this.#asked.table, question, { columns, positions, stroll: strollRows }),
    )
  }

  items(): Statement {
    return this.#selected('items', columnsOf(this.#model), false)
  }

  places(): Statement {
    return this.#selected('places', columnsOf(this.#model), true)
  }

  passed(): Statement {
    return this.#asked.statement('passed', (parts, question) =>
      compilePassed(parts, this.#asked.table, question, strollRows),
    )
  }

  joined(strolled: boolean, linked: readonly OwnedRelation[], line: ItemLine): Statement {
    const { table } = this.#asked
    const { columns: own, joined } = lines[line]
    const name = `${strolled ? 'strolled ' : ''}${line} ${linked.map((relation) => relation.name).join()}`
    return this.#asked.statement(name, (parts, question, access) => {
      const columns = [...own, ...linked.map((relation, index) => `${linkageOf(table, relation)} as "linked ${index}"`)]
      const way = strolled ? { stroll: strollRows } : { ...gatherBy(access), isWalk: access.kind === 'walk' }
      const held = linked.map((relation, index) => `, ${gathered[relation.kind](`"linked ${index}"`)}`)
      return (
        `select cast(group_concat(${joined}, '\n') as blob), count(*)${held.join('')} ` +
        `from (${compileSelect(parts, table, question, { columns, ...way })})`
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
        const texts = `group_concat(${listed}."text", ',') filter (where ${parts.condition(table, listed, condition)})`
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
      compileSelect(parts, this.#asked.table, question, { columns: ['"id"'], ...gatherBy(access) }),
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

  #selected(name: string, columns: readonly string[], positions: boolean): Statement {
    return this.#asked.statement(name, (parts, question, access) =>
      compileSelect(parts, this.#asked.table, question, {
        columns,
        positions,
        ...gatherBy(access),
        isWalk: access.kind === 'walk',
      }),
    )
  }

  #fetched(name: string, source: string, more: readonly unknown[]): Statement {
    const { table } = this.#asked
    return this.#asked.statement(
      name,
      (parts, question) => compileFetch(parts, table, question.condition, source),
      more,
    )
  }
}

/** What a line is made of. */
const lines: Readonly<Record<ItemLine, { readonly columns: readonly string[]; readonly joined: string }>> = {
  text: { columns: ['"text"'], joined: '"text"' },
  textAndSplit: { columns: ['"text"', '"split"'], joined: '"text" || "split"' },
  version: { columns: ['"hash"', '"id"'], joined: `ifnull("hash", '${'-'.repeat(hashLength)}') || json_quote("id")` },
}

/** Where a row has the identifiers of a relation: one of them, or an array as JSON. */
function linkageOf(table: Table, relation: OwnedRelation): string {
  return relation.kind === 'toOne' ? table.columns.get(relation.name)!.sql : dialect.json('"text"', [relation.wire])
}

/** What the rows hold, in their order, as a JSON array: of identifiers or null, or of arrays of identifiers. */
const gathered: Readonly<Record<OwnedRelation['kind'], (held: string) => string>> = {
  toOne: (held) => `json_group_array(${held})`,
  // An item that is older than its relation lacks it.
  toMany: (held) => `'[' || group_concat(ifnull(${held}, '[]')) || ']'`,
}

function questionOf<Q>({ kind, most, table, statement }: Asked<Q>): Question {
  return {
    kind,
    most,
    probe: (limit) =>
      statement(`probe ${limit}`, (parts, _, access) =>
        compileProbe(parts, table, gatherBy(access).gather!, limit + 1),
      ),
  }
}

function gatherBy(access: Access): { gather?: Condition } {
  return access.kind === 'gather' ? { gather: access.part } : {}
}

function compileFetch(parts: Compilation, table: Table, condition: Condition, source: string): string {
  const columns = columnsOf(table.model)
    .map((column) => `${listed}.${column}`)
    .join(', ')
  const where = whereOf(parts.condition(table, listed, condition))
  return `select ${columns} from (${source}) s cross join ${table.sql} ${listed} on ${listed}."id" = s.id${where} order by s.place`
}
