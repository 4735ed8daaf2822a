import { isCaptured } from '../../../model/is-captured.ts'
import type { TableName } from '../../../model/storage.ts'
import type {
  CapturedModel,
  CaptureTables,
  CaptureTriggers,
  ChangeCapture,
} from '../change-capture.ts'
import { changeTable, pendingTable } from '../change-log-table.ts'
import { joinIdColumns } from '../composite-id.ts'
import type { Engine } from '../engine.ts'
import type { RelationalLayout } from '../relational-layout.ts'
import {
  type DatabaseSchema,
  findColumn,
  findTable,
  hasKeys,
  isView,
} from '../schema/database-schema.ts'
import type { SchemaStep } from './schema-step.ts'

/** What triggers a database lacks, and which of its own it should not have. */
export type CaptureFault = { readonly table: TableName; readonly sql: readonly string[] } & (
  | { readonly kind: 'missingPending' | 'missing' | 'outdated' | 'useless' }
  | { readonly kind: 'impossible'; readonly isView: boolean }
)

/** Compares the triggers of the tables with those that the models need. */
export function captureFaults(
  engine: Engine,
  layouts: readonly RelationalLayout[],
  schema: DatabaseSchema,
): readonly CaptureFault[] {
  const { capture } = engine
  if (!capture) return []
  const captured = layouts.filter(({ model }) => isCaptured(model))
  const impossible = captured.flatMap((layout) => withoutTriggers(layout, schema))
  if (impossible.length > 0) return impossible
  const log = withSchema(schema, changeTable)
  const tables = { log, pending: { ...pendingTable, schema: log.schema } }
  const triggersOf = (layout: RelationalLayout) =>
    isCaptured(layout.model)
      ? capture.triggers(capturedModel(engine, layout, schema), tables)
      : ([] as const)
  const pending = captured.length === 0 ? [] : pendingFaults(capture, schema, tables)
  return [
    ...pending,
    ...layouts.flatMap((layout) =>
      tableFaults(capture, layout, schema, tables, triggersOf(layout)),
    ),
  ]
}

/** What a start does about it in tables that the store manages. */
export function captureSteps(faults: readonly CaptureFault[]): readonly SchemaStep[] {
  return faults.map((fault): SchemaStep => {
    const { kind, table, sql } = fault
    return kind === 'impossible'
      ? { kind: 'refused', summary: captureText(fault) }
      : { kind: 'instant', summary: stepTexts[kind](table.name), sql }
  })
}

const stepTexts: Readonly<
  Record<Exclude<CaptureFault['kind'], 'impossible'>, (name: string) => string>
> = {
  missingPending: (name) =>
    `Create the table '${name}', in which triggers keep changes until the end of their transaction.`,
  missing: (name) => `Create the triggers of '${name}' that log what other programs write.`,
  outdated: (name) => `Replace the triggers of '${name}' that log what other programs write.`,
  useless: (name) =>
    `Drop the triggers of '${name}' that log what other programs write, which the model does not ask for any more.`,
}

/** Why a store that changes no tables does not open. */
export function captureText(fault: CaptureFault): string {
  const { kind, table } = fault
  switch (kind) {
    case 'missingPending':
      return `The table '${table.name}', in which triggers keep changes until the end of their transaction, does not exist.`
    case 'missing':
    case 'outdated':
      return `The triggers of '${table.name}' that log what other programs write are ${kind === 'missing' ? 'missing' : 'out of date'}.`
    case 'useless':
      return `The table '${table.name}' has triggers that log what other programs write, and its model does not ask for them.`
    case 'impossible':
      return `'${table.name}' is a ${fault.isView ? 'view' : 'foreign table'}, and has no triggers that could log what other programs write. Remove { capture: 'triggers' } from its model.`
  }
}

function pendingFaults(
  capture: ChangeCapture,
  schema: DatabaseSchema,
  tables: CaptureTables,
): readonly CaptureFault[] {
  const existing = findTable(schema, tables.pending)
  const faults: CaptureFault[] = existing
    ? []
    : [{ kind: 'missingPending', table: tables.pending, sql: capture.createPending(tables) }]
  const wanted = capture.pendingTriggers(tables)
  return [...faults, ...faultsOf(capture, wanted, existing?.captureTriggers ?? [], tables)]
}

function tableFaults(
  capture: ChangeCapture,
  { model, table, joinTables }: RelationalLayout,
  schema: DatabaseSchema,
  tables: CaptureTables,
  wanted: readonly CaptureTriggers[],
): readonly CaptureFault[] {
  return [table, ...joinTables.map((joinTable) => joinTable.table)].flatMap((name) => {
    const qualified = withSchema(schema, name)
    const isOwn = (trigger: string) => capture.isOfModel(trigger, model.name)
    const existing = findTable(schema, name)?.captureTriggers?.filter(isOwn) ?? []
    const here = wanted.filter((triggers) => isSameTable(triggers.table, qualified))
    if (here.length > 0) {
      const names = here.flatMap((triggers) => triggers.names)
      const sql = here.flatMap((triggers) => triggers.sql)
      return faultsOf(capture, { table: qualified, names, sql }, existing, tables)
    }
    if (existing.length === 0) return []
    const sql = capture.drop(qualified, existing, tables)
    return [{ kind: 'useless' as const, table: qualified, sql }]
  })
}

function isSameTable(one: TableName, other: TableName): boolean {
  return one.name === other.name && one.schema === other.schema
}

function faultsOf(
  capture: ChangeCapture,
  { table, names, sql }: CaptureTriggers,
  existing: readonly string[],
  tables: CaptureTables,
): readonly CaptureFault[] {
  const former = existing.filter((name) => !names.includes(name))
  if (former.length > 0)
    return [{ kind: 'outdated', table, sql: [...capture.drop(table, former, tables), ...sql] }]
  if (names.every((name) => existing.includes(name))) return []
  return [{ kind: 'missing', table, sql }]
}

function withoutTriggers(
  { table, joinTables }: RelationalLayout,
  schema: DatabaseSchema,
): readonly CaptureFault[] {
  return [table, ...joinTables.map((joinTable) => joinTable.table)].flatMap((name) => {
    const existing = findTable(schema, name)
    return !existing || hasKeys(existing)
      ? []
      : [{ kind: 'impossible' as const, table: name, isView: isView(existing), sql: [] }]
  })
}

function capturedModel(
  engine: Engine,
  { model, table, key, joinTables }: RelationalLayout,
  schema: DatabaseSchema,
): CapturedModel {
  const { quote } = engine.dialect
  const existing = findTable(schema, table)
  const parts = key.map((name) => {
    const column = existing && findColumn(existing, name)
    const codec = (column && engine.codecFor('id', column.type)) ?? engine.codecs.id
    return (alias: string) => `(${codec.select(`${alias}.${quote(name)}`)})::text`
  })
  return {
    model: model.name,
    table: withSchema(schema, table),
    id: (alias) => joinIdColumns(parts.map((part) => part(alias))),
    key: quote(key[0]!),
    relations: joinTables.map((joinTable) => ({
      name: joinTable.field.name,
      table: withSchema(schema, joinTable.table),
      owner: quote(joinTable.owner),
    })),
  }
}

/** Functions of triggers find no table without its schema. */
function withSchema(schema: DatabaseSchema, table: TableName): TableName {
  const existing = findTable(schema, table)
  return { name: table.name, schema: existing?.schema ?? table.schema ?? schema.currentSchema }
}
