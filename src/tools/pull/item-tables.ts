import {
  type ForeignKeySchema,
  findColumn,
  isView,
  type TableSchema,
} from '../../store/read-database.ts'
import { type KeyObjection, keyCandidates } from './assumed-keys.ts'
import { isFilledByDatabase } from './join-columns.ts'
import { isSecretColumn } from './secret-columns.ts'
import type { Holds } from './value-schema.ts'

/** A table whose rows become items. */
export interface ItemTable {
  readonly table: TableSchema
  /** The columns of the id. */
  readonly key: readonly string[]
  readonly kind: 'writable' | 'readOnly'
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

/** @param objection says which columns with the name of an id are no key */
export function classifyTables(
  tables: readonly TableSchema[],
  holds: Holds,
  objection: KeyObjection,
): ClassifiedTables {
  const notes: PullNote[] = []
  const items: ItemTable[] = []
  for (const table of tables) {
    if (isLinkCandidate(table)) continue
    const key = keyOf(table, holds, objection)
    if ('key' in key) items.push({ table, ...key })
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

type TableKey = Omit<ItemTable, 'table'> | { readonly reason: string }

function keyOf(table: TableSchema, holds: Holds, objection: KeyObjection): TableKey {
  const { name, schema, primaryKey, uniqueKeys } = table
  if (name.includes('.') || schema?.includes('.'))
    return { reason: 'a name with a dot cannot be written in a model.' }
  const kind = isView(table) ? 'readOnly' : 'writable'
  if (primaryKey) {
    const reason = primaryKey.columns.flatMap((column) => whyNoKey(table, column, holds) ?? [])[0]
    return reason === undefined ? { key: primaryKey.columns, kind } : { reason }
  }
  const canBeKey = (column: string) =>
    !findColumn(table, column)!.isNullable && whyNoKey(table, column, holds) === undefined
  const unique = uniqueKeys
    .filter(({ columns }) => columns.every(canBeKey))
    .toSorted((one, other) => one.columns.length - other.columns.length)[0]
  if (unique) return { key: unique.columns, kind }
  return assumedKey(table, holds, objection)
}

/** Of a view, and of a table in which nothing is unique: a column that has the name of an id. */
function assumedKey(table: TableSchema, holds: Holds, objection: KeyObjection): TableKey {
  const objections: string[] = []
  const key = keyCandidates(table).find((name) => {
    if (whyNoKey(table, name, holds) !== undefined) return false
    const reason = objection(table, name)
    if (reason !== undefined) objections.push(reason)
    return reason === undefined
  })
  if (key !== undefined) return { key: [key], kind: 'readOnly' }
  const kind = isView(table) ? 'a view' : 'no primary key, no unique columns that are not null'
  const why =
    objections.length === 0
      ? 'no column has the name of an id'
      : `no column with the name of an id is unique: ${objections.join('; ')}`
  return {
    reason: `${kind}, and ${why}. Write a read-only model, and name the columns of its key.`,
  }
}

function whyNoKey(table: TableSchema, column: string, holds: Holds): string | undefined {
  if (isSecretColumn(table, column))
    return `its key '${column}' looks like a secret, and clients see all ids.`
  return holds('id', findColumn(table, column)!.type)
    ? undefined
    : `the type of its key '${column}' cannot hold ids.`
}

/** Is this column the whole key of the items? */
export function isKeyOf({ key }: Pick<ItemTable, 'key'>, column: string | undefined): boolean {
  return key.length === 1 && key[0] === column
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
    return related && isKeyOf(related, key.targetColumns[0])
      ? { column: key.columns[0]!, table: related.table }
      : undefined
  })
  return owner && target && { table, owner, target }
}
