import { RegistrationError } from '../../model/registration-error.ts'
import type {
  ColumnSchema,
  DatabaseSchema,
  TableSchema,
  TableSelection,
} from '../tables/schema/database-schema.ts'
import type { SqlSession } from '../tables/sql-database.ts'
import { type TypeRow, typeReader, typesSql } from './read-types.ts'
import {
  type ColumnRow,
  type ConstraintRow,
  columnsSql,
  constraintsSql,
  currentSchemaSql,
  deleteActions,
  encodingSql,
  type IndexRow,
  indexesSql,
  mayCreateFunctionsSql,
  type TableRow,
  tableKinds,
  tablesSql,
  wantedSql,
} from './schema-queries.ts'

/**
 * What a database has, with one round trip. `pg_catalog` is read, because `information_schema`
 * hides what the role may not change, and knows nothing of indexes.
 */
export async function readPostgresSchema(
  session: Pick<SqlSession, 'run'>,
  selection: TableSelection,
): Promise<DatabaseSchema> {
  const parameters = selection.kind === 'all' ? [] : [JSON.stringify(selection.names)]
  const wanted = wantedSql(selection)
  const queries = [
    tablesSql,
    columnsSql,
    typesSql,
    constraintsSql,
    indexesSql,
    encodingSql,
    currentSchemaSql,
    mayCreateFunctionsSql,
  ]
  const results = await session.run(
    queries.map((sql) => ({ sql: `with recursive ${wanted}${sql}`, parameters })),
  )
  const [tables, columns, types, constraints, indexes, [encoding], [currentSchema], [mayCreate]] =
    results.map(({ rows }) => rows.map(([json]) => JSON.parse(json as string))) as [
      TableRow[],
      ColumnRow[],
      TypeRow[],
      ConstraintRow[],
      IndexRow[],
      [string],
      [string | null],
      [boolean],
    ]
  if (encoding !== 'UTF8') throw otherEncoding(encoding)
  const typeOf = typeReader(types)
  const rowsOf = <R extends { readonly table: string }>(rows: readonly R[], { oid }: TableRow) =>
    rows.filter(({ table }) => table === oid)
  return {
    currentSchema: currentSchema ?? undefined,
    ...(!mayCreate && { refusesFunctions: true }),
    tables: tables.map((table) =>
      tableOf(
        table,
        rowsOf(columns, table).map((column) => columnOf(column, typeOf)),
        rowsOf(constraints, table),
        rowsOf(indexes, table),
      ),
    ),
  }
}

function otherEncoding(encoding: string): RegistrationError {
  return new RegistrationError(
    `The encoding of the database is ${encoding}, which cannot store every character. Use a database with the encoding UTF8: create one with \`template template0 encoding 'UTF8'\`, and move the data with pg_dump.`,
  )
}

function columnOf(
  row: ColumnRow,
  typeOf: (oid: string, modifier: number) => ColumnSchema['type'],
): ColumnSchema {
  const { name, identity, generated, collation, isLoose, comment } = row
  const isComputed = generated !== ''
  return {
    name,
    type: typeOf(row.type, row.modifier),
    isNullable: !row.isNotNull,
    default: isComputed || row.default === null ? undefined : defaultOf(row.default),
    generated: isComputed ? 'computed' : identityKinds[identity],
    collation: collation ?? undefined,
    ...(isLoose && { equality: 'loose' }),
    comment: comment ?? undefined,
  }
}

const identityKinds = { '': 'never', a: 'identityAlways', d: 'identityByDefault' } as const

function defaultOf(sql: string): ColumnSchema['default'] {
  return { kind: sql.startsWith('nextval(') ? 'sequence' : 'expression', sql }
}

function tableOf(
  { schema, name, kind, isOnSearchPath, hasRowPolicies, captureTriggers, comment }: TableRow,
  columns: readonly ColumnSchema[],
  constraints: readonly ConstraintRow[],
  indexes: readonly IndexRow[],
): TableSchema {
  const ofKind = (wanted: ConstraintRow['kind']) =>
    constraints.filter((constraint) => constraint.kind === wanted)
  const [primaryKey] = ofKind('p')
  return {
    schema,
    name,
    isOnSearchPath,
    kind: tableKinds[kind],
    comment: comment ?? undefined,
    ...(captureTriggers.length > 0 && { captureTriggers }),
    ...(hasRowPolicies && { hasRowPolicies }),
    columns,
    primaryKey: primaryKey && {
      name: primaryKey.name,
      columns: primaryKey.columns,
      isDeferrable: primaryKey.isDeferrable,
    },
    uniqueKeys: indexes.filter(isUniqueKey).map((index) => ({
      name: index.name,
      columns: index.keys.map(({ column }) => column!),
      isDeferrable: index.isDeferrable,
      ...(index.keys[0] && nullOrderOf(index.keys[0])),
    })),
    indexes: indexes
      .filter((index) => !isUniqueKey(index))
      .map(({ isUnique, isValid, method, keys, predicate, ...index }) => ({
        name: index.name,
        isUnique,
        isValid,
        method,
        keys: keys.map(({ column, sql, isDescending, isNullsFirst, collation }) => ({
          column: column ?? undefined,
          sql,
          direction: isDescending ? 'desc' : 'asc',
          collation: collation ?? undefined,
          ...nullOrderOf({ isDescending, isNullsFirst }),
        })),
        predicate: predicate ?? undefined,
      })),
    foreignKeys: ofKind('f').map((key) => ({
      name: key.name,
      columns: key.columns,
      target: { schema: key.targetSchema, name: key.targetName },
      targetColumns: key.targetColumns,
      onDelete: deleteActions[key.onDelete],
      isDeferrable: key.isDeferrable,
      ...(!key.isValidated && { isUnchecked: true }),
    })),
    checks: ofKind('c').map(checkOf),
    exclusions: ofKind('x').map(checkOf),
  }
}

function nullOrderOf({
  isDescending,
  isNullsFirst,
}: Pick<IndexRow['keys'][number], 'isDescending' | 'isNullsFirst'>): { isNullLargest?: true } {
  return isNullsFirst === isDescending ? { isNullLargest: true } : {}
}

function isUniqueKey({ isUnique, isValid, predicate, keys }: IndexRow): boolean {
  return isUnique && isValid && predicate === null && keys.every(({ column }) => column !== null)
}

function checkOf({ name, expression, columns }: ConstraintRow): TableSchema['checks'][number] {
  return { name, expression, columns }
}
