import type { TableName } from '../../../model/storage.ts'
import type { Statement } from '../../sql/statement-cache.ts'
import type {
  ColumnSchema,
  DatabaseSchema,
  ForeignKeySchema,
  IndexKeySchema,
  IndexSchema,
  KeySchema,
  TableSchema,
  TableSelection,
} from '../../tables/schema/database-schema.ts'
import type { SqlSession } from '../../tables/sql-database.ts'
import { declaredType } from './declared-type.ts'
import { indexTerms } from './index-terms.ts'
import { checksOf } from './read-checks.ts'
import { requiringTriggersOf, triggersOf } from './require-value.ts'

type Rows = readonly (readonly unknown[])[]

/**
 * What an SQLite file has. SQLite says nothing of the names of foreign keys and of whether these
 * are deferred, except in the SQL of the table.
 */
export async function readSqliteSchema(
  session: Pick<SqlSession, 'run'>,
  selection: TableSelection,
): Promise<DatabaseSchema> {
  const [tables] = await session.run([
    statement(
      `select name, type, wr, strict from pragma_table_list where schema = 'main' and type <> 'shadow' and name not like 'sqlite@_%' escape '@' order by name`,
    ),
  ])
  const selected = tables!.rows.flatMap(([name, type, withoutRowId, strict]) => {
    const selectedName = nameIn(selection, name as string)
    if (selectedName === undefined) return []
    return [
      {
        name: selectedName,
        type,
        withoutRowId: withoutRowId === 1,
        isStrict: strict === 1,
      },
    ]
  })
  return { tables: await Promise.all(selected.map((table) => readTable(session, table))) }
}

/** SQLite ignores case in names, so a table has the name by which it was asked for. */
function nameIn(selection: TableSelection, name: string): string | undefined {
  if (selection.kind === 'all') return name
  if (selection.kind === 'schemas') return selection.names.includes('main') ? name : undefined
  return selection.names.find(
    (wanted) => isMain(wanted) && wanted.name.toLowerCase() === name.toLowerCase(),
  )?.name
}

function isMain({ schema }: TableName): boolean {
  return schema === undefined || schema === 'main'
}

interface SelectedTable {
  readonly name: string
  readonly type: unknown
  readonly withoutRowId: boolean
  /** Has each column values of its type only? */
  readonly isStrict: boolean
}

async function readTable(
  session: Pick<SqlSession, 'run'>,
  { name, type, withoutRowId, isStrict }: SelectedTable,
): Promise<TableSchema> {
  const [columns, indexes, foreignKeys, definition, triggers] = await session.run([
    statement(
      'select name, type, "notnull", dflt_value, pk, hidden from pragma_table_xinfo(?1) where hidden <> 1 order by cid',
      name,
    ),
    statement(
      'select l.name, l."unique", l.origin, l.partial, s.sql, x.name, x.cid, x."desc", x.coll from pragma_index_list(?1) l join pragma_index_xinfo(l.name) x left join sqlite_schema s on s.name = l.name where x.key = 1 order by l.seq, x.seqno',
      name,
    ),
    statement(
      'select id, "table", "from", "to", on_delete from pragma_foreign_key_list(?1) order by id, seq',
      name,
    ),
    statement(
      "select sql from sqlite_schema where type = 'table' and name = ?1 collate nocase",
      name,
    ),
    triggersOf(name),
  ])
  const indexRows = groupBy(indexes!.rows, ([index]) => index)
  const [[sql] = []] = definition!.rows
  const keys = indexRows.flatMap((rows) => uniqueKeyOf(rows) ?? [])
  const hasCollations = /\bcollate\b/i.test((sql ?? '') as string)
  const [[, keyType] = [], ...otherKeys] = columns!.rows.filter(([, , , , pk]) => pk !== 0)
  const isInOrderOfTexts =
    withoutRowId &&
    isStrict &&
    !hasCollations &&
    otherKeys.length === 0 &&
    (keyType as string).toLowerCase() === 'text'
  return {
    schema: 'main',
    name,
    isOnSearchPath: true,
    kind: type === 'view' ? 'view' : type === 'virtual' ? 'foreign' : 'table',
    comment: undefined,
    columns: columnsOf(
      columns!.rows,
      { withoutRowId, isStrict },
      // A view has the collations of its tables.
      type === 'view' || hasCollations,
      requiringTriggersOf(triggers!.rows),
    ),
    primaryKey: primaryKeyOf(name, columns!.rows),
    ...(isInOrderOfTexts && { isInOrderOfTexts }),
    uniqueKeys: keys,
    indexes: indexRows.flatMap((rows) => indexOf(rows) ?? []),
    foreignKeys: groupBy(foreignKeys!.rows, ([id]) => id).map((rows) => foreignKeyOf(name, rows)),
    checks: checksOf(
      (sql ?? '') as string,
      columns!.rows.map(([column]) => column as string),
    ),
    exclusions: [],
  }
}

function columnsOf(
  rows: Rows,
  { withoutRowId, isStrict }: Pick<SelectedTable, 'withoutRowId' | 'isStrict'>,
  mayHaveCollations: boolean,
  triggers: ReadonlyMap<string, readonly string[]>,
): readonly ColumnSchema[] {
  const keyColumns = rows.filter(([, , , , pk]) => pk !== 0)
  return rows.map(([name, type, notNull, defaultSql, pk, hidden]): ColumnSchema => {
    const isRowId =
      !withoutRowId &&
      pk === 1 &&
      keyColumns.length === 1 &&
      (type as string).toLowerCase() === 'integer'
    const requiringTriggers = triggers.get(name as string)
    return {
      name: name as string,
      type: { ...declaredType(type as string), ...(isStrict && { isStrict }) },
      // SQLite allows NULL in some keys, by a mistake that it keeps; an item has an id.
      isNullable: notNull === 0 && pk === 0 && !requiringTriggers,
      ...(requiringTriggers && { requiringTriggers }),
      default: defaultSql === null ? undefined : { kind: 'expression', sql: defaultSql as string },
      generated: isRowId ? 'identityByDefault' : hidden === 0 ? 'never' : 'computed',
      // Which column it is about, only a parser of SQL could say.
      ...(mayHaveCollations
        ? { collation: undefined, equality: 'loose' }
        : { collation: 'BINARY' }),
      comment: undefined,
    }
  })
}

function primaryKeyOf(table: string, rows: Rows): KeySchema | undefined {
  const columns = rows
    .filter(([, , , , pk]) => pk !== 0)
    .toSorted((one, other) => (one[4] as number) - (other[4] as number))
    .map(([name]) => name as string)
  return columns.length === 0 ? undefined : { name: `${table}_pkey`, columns, isDeferrable: false }
}

/** The columns of an index: its name, whether it is unique, its origin, … */
type IndexRows = Rows

function uniqueKeyOf(rows: IndexRows): KeySchema | undefined {
  const [name, isUnique, origin, isPartial] = rows[0]!
  if (isUnique === 0 || isPartial === 1 || origin === 'pk') return undefined
  if (rows.some(([, , , , , column]) => column === null)) return undefined
  return {
    name: name as string,
    columns: rows.map(([, , , , , column]) => column as string),
    isDeferrable: false,
  }
}

function indexOf(rows: IndexRows): IndexSchema | undefined {
  const [name, isUnique, origin, isPartial, sql] = rows[0]!
  if (origin === 'pk' || uniqueKeyOf(rows)) return undefined
  const terms = typeof sql === 'string' ? indexTerms(sql) : []
  return {
    name: name as string,
    isUnique: isUnique === 1,
    isValid: true,
    method: 'btree',
    keys: rows.map(
      ([, , , , , column, , isDescending, collation], position): IndexKeySchema => ({
        column: (column as string | null) ?? undefined,
        sql: (column as string | null) ?? terms[position] ?? 'an expression',
        direction: isDescending === 1 ? 'desc' : 'asc',
        collation: collation as string,
      }),
    ),
    predicate: isPartial === 1 ? /\bwhere\b(.*)$/is.exec(String(sql))?.[1]?.trim() : undefined,
  }
}

function foreignKeyOf(table: string, rows: Rows): ForeignKeySchema {
  const [, target, , , onDelete] = rows[0]!
  const columns = rows.map(([, , from]) => from as string)
  return {
    name: `${table}_${columns.join('_')}_fkey`,
    columns,
    target: { schema: 'main', name: target as string },
    // Without names, the key leads to the primary key of the other table.
    targetColumns: rows.flatMap(([, , , to]) => (to === null ? [] : [to as string])),
    onDelete: deleteActions[onDelete as keyof typeof deleteActions] ?? 'noAction',
    isDeferrable: false,
  }
}

const deleteActions = {
  RESTRICT: 'restrict',
  CASCADE: 'cascade',
  'SET NULL': 'setNull',
  'SET DEFAULT': 'setDefault',
} as const satisfies Record<string, ForeignKeySchema['onDelete']>

function groupBy(rows: Rows, keyOf: (row: readonly unknown[]) => unknown): readonly Rows[] {
  const groups = new Map<unknown, (readonly unknown[])[]>()
  for (const row of rows) {
    const key = keyOf(row)
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return [...groups.values()]
}

function statement(sql: string, ...parameters: readonly unknown[]): Statement {
  return { sql, parameters }
}
