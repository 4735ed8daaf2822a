import { joinWords } from '../../../text/message-text.ts'
import type { PlanStep } from '../../store-plan.ts'
import type { Engine } from '../engine.ts'
import type { RelationalLayout } from '../relational-layout.ts'
import { type DatabaseSchema, findTable, type TableSchema } from '../schema/database-schema.ts'
import { isWordIndex, type WordIndex, wordIndexOf } from '../word-index.ts'
import type { SchemaStep } from './schema-step.ts'

/** What a person may do. */
interface Advice {
  readonly kind: 'never'
  readonly summary: string
  readonly sql: readonly string[]
}

/** The index over the words of a new table. */
export function newWordIndexSql(
  engine: Engine,
  layout: RelationalLayout,
  { refusesFunctions }: DatabaseSchema,
): readonly string[] {
  const index = refusesFunctions ? undefined : wordIndexOf(engine, layout, undefined)
  return index ? createSql(index) : []
}

/** The index over words that a table lacks. A search reads all rows until it is there. */
export function wordIndexSteps(
  engine: Engine,
  layout: RelationalLayout,
  existing: TableSchema,
  { refusesFunctions }: DatabaseSchema,
): readonly SchemaStep[] {
  const index = wordIndexOf(engine, layout, existing)
  const present = existing.indexes.find(({ name }) => name === index?.name)
  if (!index || present?.isValid) return []
  if (refusesFunctions) return [advice(engine, index)]
  const drop = (option: string) => (present ? [dropSql(engine, index, index.name, option)] : [])
  return [
    {
      kind: 'online',
      table: layout.table,
      summary: `${present ? 'Drop the invalid index, and create it again' : 'Create an index'} over the words of ${columnsText(index)}, for searches.`,
      onlineSql: [
        ...drop(' concurrently'),
        ...createSql(index, ' concurrently'),
        analyzeSql(engine, index),
      ],
      sql: [...drop(''), ...createSql(index), analyzeSql(engine, index)],
      requires: undefined,
    },
  ]
}

/** Indexes over words that this version does not use. */
export function outdatedWordIndexSteps(
  engine: Engine,
  layout: RelationalLayout,
  existing: TableSchema | undefined,
): readonly SchemaStep[] {
  if (!existing || engine.words.kind !== 'withTables') return []
  const current = wordIndexOf(engine, layout, existing)?.name
  return existing.indexes
    .filter((index) => isWordIndex(index) && index.name !== current)
    .map(({ name }) => ({
      kind: 'never',
      summary: `Drop the index '${name}' of '${layout.table.name}', over words that only processes of another version search.`,
      sql: [dropSql(engine, { table: { ...layout.table, schema: existing.schema } }, name, '')],
    }))
}

/** Indexes over words for tables of other programs, which a person creates. */
export function advisedWordIndexSteps(
  engine: Engine,
  layouts: readonly RelationalLayout[],
  schema: DatabaseSchema,
): readonly PlanStep[] {
  return layouts.flatMap((layout) => {
    const existing = findTable(schema, layout.table)!
    const index = wordIndexOf(engine, layout, existing)
    const isBuilt = existing.indexes.some(({ name, isValid }) => isValid && name === index?.name)
    return index && !isBuilt ? [advice(engine, index)] : []
  })
}

function advice(engine: Engine, index: WordIndex): Advice {
  return {
    kind: 'never',
    summary: `Create an index over the words of ${columnsText(index)}. Until then searches read all items.`,
    sql: [...createSql(index), analyzeSql(engine, index)],
  }
}

function createSql({ indexes, table, name, texts }: WordIndex, option = ''): readonly string[] {
  return [...indexes.prepare(table.schema), ...indexes.create(table, name, texts(), option)]
}

function dropSql(
  { quoteTable }: Engine,
  { table }: Pick<WordIndex, 'table'>,
  name: string,
  option: string,
): string {
  return `drop index${option} ${quoteTable({ ...table, name })}`
}

/** So that the planner knows the words at once. */
function analyzeSql({ quoteTable }: Engine, { table }: WordIndex): string {
  return `analyze ${quoteTable(table)}`
}

function columnsText({ table, columns }: WordIndex): string {
  return `${joinWords(columns.map((name) => `'${name}'`))} of '${table.name}'`
}
