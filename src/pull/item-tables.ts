import type { ForeignKeySchema, TableSchema } from '../store/tables/schema/database-schema.ts'
import { isFilledByDatabase } from './join-columns.ts'
import { isSecretColumn } from './secret-columns.ts'
import type { Holds } from './value-schema.ts'

/** A table whose rows become items. */
export interface ItemTable {
  readonly table: TableSchema
  /** The column of the id. */
  readonly key: string
}

/** A table whose rows become a relation. */
export interface LinkTable {
  readonly table: TableSchema
  readonly owner: Link
  readonly target: Link
}

interface Link {
  readonly column: string
  readonly table: TableSchema
}

/** What is not pulled, or not completely, and why. */
export interface PullNote {
  /** Undefined for a table that has no model. */
  readonly model: string | undefined
  readonly text: string
}

export interface ClassifiedTables {
  readonly items: readonly ItemTable[]
  readonly links: readonly LinkTable[]
  readonly notes: readonly PullNote[]
}

export function classifyTables(tables: readonly TableSchema[], holds: Holds): ClassifiedTables {
  const notes: PullNote[] = []
  const items: ItemTable[] = []
  for (const table of tables) {
    if (isLinkCandidate(table)) continue
    const key = keyOf(table, holds)
    if (typeof key === 'string') items.push({ table, key })
    else notes.push({ model: undefined, text: `${nameText(table)}: ${key.reason}` })
  }
  const links: LinkTable[] = []
  for (const table of tables.filter(isLinkCandidate)) {
    const link = linkOf(table, items)
    if (link) links.push(link)
    else
      notes.push({
        model: undefined,
        text: `${nameText(table)}: a join table, of which both tables must be pulled too.`,
      })
  }
  return { items, links, notes }
}

/** As a model names it. The schema of an SQLite file says nothing. */
export function nameText({ schema, name, isOnSearchPath }: TableSchema): string {
  const isPlain = schema === undefined || (schema === 'main' && isOnSearchPath)
  return isPlain ? name : `${schema}.${name}`
}

export function isSameTable(
  one: Pick<TableSchema, 'schema' | 'name'>,
  other: Pick<TableSchema, 'schema' | 'name'>,
): boolean {
  return one.schema === other.schema && one.name === other.name
}

function keyOf(table: TableSchema, holds: Holds): string | { readonly reason: string } {
  const { kind, name, schema, primaryKey, uniqueKeys, columns } = table
  if (name.includes('.') || schema?.includes('.'))
    return { reason: 'a name with a dot cannot be written in a model.' }
  if (kind === 'view' || kind === 'materializedView')
    return { reason: 'a view, which has no key. Views are not supported yet.' }
  if (primaryKey && primaryKey.columns.length > 1)
    return { reason: `${severalKeyText(table)} Such keys are not pulled yet.` }
  const canBeKey = (name: string) =>
    columns.some(
      (column) => column.name === name && !column.isNullable && holds('id', column.type),
    ) && !isSecretColumn(table, name)
  const [primary] = primaryKey?.columns ?? []
  if (primary !== undefined) {
    if (isSecretColumn(table, primary))
      return { reason: `its key '${primary}' looks like a secret, and clients see all ids.` }
    if (holds('id', columns.find((column) => column.name === primary)!.type)) return primary
    return { reason: `the type of its key '${primary}' cannot hold ids.` }
  }
  const unique = uniqueKeys.find((key) => key.columns.length === 1 && canBeKey(key.columns[0]!))
  return (
    unique?.columns[0] ?? {
      reason: 'no primary key, and no unique column that is not null and can be the id.',
    }
  )
}

function severalKeyText(table: TableSchema): string {
  const columns = table.primaryKey!.columns
  const text = `its key has ${columns.length} columns (${columns.join(', ')}), and it is not a join table`
  const others = hasLinkKeys(table) ? columnsWithData(table) : []
  return others.length === 0
    ? `${text}.`
    : `${text}: a relation would delete what its other columns hold (${others.join(', ')}).`
}

/** Two foreign keys that are the primary key together; the database fills all other columns. */
function isLinkCandidate(table: TableSchema): boolean {
  return hasLinkKeys(table) && columnsWithData(table).length === 0
}

function hasLinkKeys(table: TableSchema): boolean {
  return table.primaryKey?.columns.length === 2 && linkKeys(table).length === 2
}

function columnsWithData({ primaryKey, columns }: TableSchema): readonly string[] {
  return columns
    .filter((column) => !primaryKey!.columns.includes(column.name) && !isFilledByDatabase(column))
    .map(({ name }) => name)
}

function linkKeys({ primaryKey, foreignKeys }: TableSchema): readonly ForeignKeySchema[] {
  return (primaryKey?.columns ?? []).flatMap((column) =>
    foreignKeys.filter((key) => key.columns.length === 1 && key.columns[0] === column).slice(0, 1),
  )
}

function linkOf(table: TableSchema, items: readonly ItemTable[]): LinkTable | undefined {
  const [owner, target] = linkKeys(table).map((key): Link | undefined => {
    const related = items.find((item) => isSameTable(item.table, key.target))
    return related && related.key === key.targetColumns[0]
      ? { column: key.columns[0]!, table: related.table }
      : undefined
  })
  return owner && target && { table, owner, target }
}
