import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, expect } from 'vitest'
import { postgresDocumentDialect } from '../../../test/support/postgres-dialect.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { Condition, QueryPlan } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { storeContract } from '../../testing/store-contract.ts'
import { memory } from '../memory/memory.ts'
import type { Store } from '../store.ts'
import { TransactionWrapper, wrapStore } from '../wrap-store.ts'
import { bestIndexScan } from './index-scan.ts'
import { joinStatements } from './join-statements.ts'
import { layoutOf, newTableFacts, tableOf } from './layout.ts'
import type { RowSource } from './list-query.ts'
import { queries } from './queries.ts'
import type { ReadStrategy } from './read-strategy.ts'
import type { Statement } from './statement-cache.ts'
import type { DocumentTable } from './table.ts'
import { writeStatements } from './write-statements.ts'

/**
 * Runs the contract of stores on memory(), and compiles the statements that a store on PostgreSQL
 * could run. PostgreSQL parses and analyzes each of them: grammar, names and types.
 */
const postgres = new PGlite()
let analyzedCount = 0

beforeAll(() => postgres.waitReady, 60_000)

afterAll(async () => {
  expect(analyzedCount).toBeGreaterThan(1_000)
  await postgres.close()
})

storeContract('memory, with its reads analyzed by PostgreSQL,', async () => {
  const store = analyzingStore(memory())
  return { store, dispose: () => store.close() }
})

/** A set of models whose tables are in a schema of their own. */
interface Schema {
  readonly name: string
  readonly tables: ReadonlyMap<string, DocumentTable>
  readonly analyzed: Set<string>
}

const schemas = new Map<string, Schema>()
const modelNumbers = new Map<ModelDescription, number>()

async function schemaOf(models: readonly ModelDescription[]): Promise<Schema> {
  for (const model of models) {
    if (!modelNumbers.has(model)) modelNumbers.set(model, modelNumbers.size)
  }
  const key = models.map((model) => modelNumbers.get(model)).join()
  const existing = schemas.get(key)
  if (existing) return existing
  const name = `s${schemas.size}`
  const tables = new Map<string, DocumentTable>()
  await postgres.exec(`create schema ${name}; set search_path = ${name}, public`)
  for (const model of models) tables.set(model.name, await createTable(model))
  const schema = { name, tables, analyzed: new Set<string>() }
  schemas.set(key, schema)
  return schema
}

async function createTable(model: ModelDescription): Promise<DocumentTable> {
  const layout = layoutOf(postgresDocumentDialect, model)
  const table = tableOf(postgresDocumentDialect, layout, newTableFacts(layout))
  const columns = layout.columns.map(({ name, type, isStored, source, valueIn }) => {
    const generated = isStored ? '' : ` generated always as ${valueIn(`"${source}"`)} stored`
    return `, "${name}" ${type}${generated}`
  })
  const statements = [
    `create table ${table.sql} (id text collate "C" primary key, text text not null, split integer not null,` +
      ` hidden text, hash text, revision integer not null${columns.join('')})`,
    ...layout.indexes.map(({ definition }) => definition),
    ...layout.joinTables.flatMap((joinTable) => [
      `create table ${joinTable.table.sql} (owner text collate "C", target text collate "C", primary key (owner, target))`,
      joinTable.indexDefinition,
    ]),
  ]
  for (const statement of statements) await postgres.exec(statement)
  return table
}

async function analyze(schema: Schema, { sql }: Statement): Promise<void> {
  if (schema.analyzed.has(sql)) return
  schema.analyzed.add(sql)
  analyzedCount++
  expect(subqueriesWithoutAlias(sql)).toEqual([])
  await postgres.exec(`set search_path = ${schema.name}, public`)
  await postgres.describeQuery(sql).catch((cause: Error) => {
    throw new Error(`${cause.message}: ${sql}`, { cause })
  })
}

/** PostgreSQL requires an alias of each subquery in FROM up to version 15. */
function subqueriesWithoutAlias(sql: string): readonly string[] {
  return Array.from(sql.matchAll(/(?<!distinct )\b(?:from|join) \(/g), ({ index, 0: start }) => {
    let end = index + start.length
    for (let depth = 1; depth > 0 && end < sql.length; end++) {
      if (sql[end] === '(') depth++
      if (sql[end] === ')') depth--
    }
    return sql.slice(index, end + 2)
  }).filter((subquery) => !/\) [a-z]$/.test(subquery))
}

/** Every strategy, as far as the dialect has grammar for it. */
const strategies: readonly ((condition: Condition) => ReadStrategy)[] = [
  () => ({ name: 'by the engine' }),
  () => ({ name: 'index scan', isIndexScan: true }),
  (condition) => ({ name: 'index lookup', idsFirst: true, lookup: firstOperand(condition) }),
]

function firstOperand(condition: Condition): Condition {
  return condition.kind === 'and' ? (condition.conditions[0] ?? condition) : condition
}

function analyzingStore(store: Store): Store {
  let models: readonly ModelDescription[] = []
  let schema: Schema | undefined

  const prepared = strategies.map((strategyOf) =>
    queries(postgresDocumentDialect, (model) => schema!.tables.get(model.name)!, {
      condition: (_, condition) => strategyOf(condition),
      plan: (_, plan) => strategyOf(plan.condition),
    }),
  )

  const analyzeAll = async (
    statementsOf: (query: (typeof prepared)[number]) => readonly Statement[],
  ): Promise<void> => {
    for (const query of prepared) {
      for (const statement of statementsOf(query)) await analyze(schema!, statement)
    }
  }

  const analyzeCondition = (model: ModelDescription, condition: Condition): Promise<void> =>
    analyzeAll((query) => {
      const count = query.count(model, condition)
      return [
        query.find(model, condition),
        query.version(model, condition),
        count.count(),
        ...(count.strategy.lookup ? [count.probe(10)] : []),
      ]
    })

  const analyzePlan = (model: ModelDescription, plan: QueryPlan): Promise<void> => {
    const hasTrialScan = bestIndexScan(schema!.tables.get(model.name)!, plan) !== undefined
    return analyzeAll((query) => {
      const list = query.list(model, plan)
      const sources: readonly RowSource[] = [
        { kind: 'any' },
        ...(hasTrialScan ? [{ kind: 'trialScan', maxRows: 100 } as const] : []),
        ...(list.strategy.lookup ? [{ kind: 'lookup' } as const] : []),
      ]
      return [
        ...sources.flatMap((source) => [
          list.rows('items', source),
          list.rows('itemsWithPositions', source),
          list.rows('idsWithPositions', source),
          list.rawLines(model.ownedRelations, 'text', source),
          list.rawLines([], 'textAndOffset', source),
        ]),
        ...(hasTrialScan ? [list.trialScanCount(100)] : []),
        ...(list.strategy.lookup ? [list.probe(10)] : []),
        ...(plan.sort.length > 0 ? [list.sortKeys('a')] : []),
        list.idRange(undefined, 10),
        list.idRange('a', 10),
        list.ids(),
        list.byIds(['a']),
        list.idRangeEnd(undefined, 10),
        list.idRangeEnd('a', 10),
        ...model.ownedRelations.flatMap((relation) =>
          relation.kind === 'toMany'
            ? [
                query.ownersOf(model, { relation: relation.name, target: 'a' }, undefined, 10),
                query.ownersOf(model, { relation: relation.name, target: 'a' }, 'b', 10),
              ]
            : [],
        ),
      ]
    })
  }

  const analyzeWrites = async (model: ModelDescription, item: StoredItem): Promise<void> => {
    const table = schema!.tables.get(model.name)!
    const writes = writeStatements(table, postgresDocumentDialect)
    const joinTables = [...table.joinTables.values()]
    const statements = [
      writes.insert(item),
      writes.findRowToReplace(item),
      writes.replace(item, []),
      writes.replace(item, Array(100).fill(true)),
      ...writes.remove(item.id),
      writes.findRow(item.id),
      writes.findId(item.id),
      ...joinTables.flatMap((joinTable) => {
        const join = joinStatements(joinTable, postgresDocumentDialect)
        return [
          join.list(item.id),
          join.add(item.id, ['a']),
          join.add(item.id, ['a', 'b']),
          join.remove(item.id, 'a'),
        ]
      }),
    ]
    for (const statement of statements) await analyze(schema!, statement)
  }

  class AnalyzedTransaction extends TransactionWrapper {
    override async insert(model: ModelDescription, item: StoredItem) {
      await analyzeWrites(model, item)
      return this.inner.insert(model, item)
    }
  }

  return wrapStore(store, {
    write: (work, caller) =>
      store.write((transaction) => work(new AnalyzedTransaction(transaction)), caller),
    async open(added) {
      await store.open(added)
      models = [...models.filter(({ name }) => !added.some((one) => one.name === name)), ...added]
      schema = await schemaOf(models)
    },
    async find(model, condition) {
      await analyzeCondition(model, condition)
      return store.find(model, condition)
    },
    async *list(model, plan, caller) {
      await analyzePlan(model, plan)
      yield* store.list(model, plan, caller)
    },
    async page(model, plan, caller) {
      await analyzePlan(model, plan)
      return store.page(model, plan, caller)
    },
    async count(model, condition, caller) {
      await analyzeCondition(model, condition)
      return store.count(model, condition, caller)
    },
    async *relatedPages(model, relation, owners, plan, caller) {
      await analyzeAll((query) => {
        const related = query.related(model, relation, owners, plan)
        return [related.probe(10), related.pages(), related.idPages()]
      })
      yield* store.relatedPages(model, relation, owners, plan, caller)
    },
  })
}
