import { RegistrationError } from '../../model/registration-error.ts'
import type {
  ColumnSchema,
  DatabaseSchema,
  ForeignKeySchema,
  TableSchema,
  TableSelection,
} from '../tables/schema/database-schema.ts'
import type { SqlSession } from '../tables/sql-database.ts'
import { type TypeRow, typeReader, typesSql } from './read-types.ts'

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
  const queries = [tablesSql, columnsSql, typesSql, constraintsSql, indexesSql, encodingSql]
  const results = await session.run(
    queries.map((sql) => ({ sql: `with recursive ${wanted}${sql}`, parameters })),
  )
  const [tables, columns, types, constraints, indexes, [encoding]] = results.map(({ rows }) =>
    rows.map(([json]) => JSON.parse(json as string)),
  ) as [TableRow[], ColumnRow[], TypeRow[], ConstraintRow[], IndexRow[], [string]]
  if (encoding !== 'UTF8') throw otherEncoding(encoding)
  const typeOf = typeReader(types)
  const rowsOf = <R extends { readonly table: string }>(rows: readonly R[], { oid }: TableRow) =>
    rows.filter(({ table }) => table === oid)
  return {
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

/** Clients may send any character, in the path of an item too. */
const encodingSql = "select to_json(current_setting('server_encoding'))::text"

function otherEncoding(encoding: string): RegistrationError {
  return new RegistrationError(
    `The encoding of the database is ${encoding}, which cannot store every character. Use a database with the encoding UTF8: create one with \`template template0 encoding 'UTF8'\`, and move the data with pg_dump.`,
  )
}

interface TableRow {
  readonly oid: string
  readonly schema: string
  readonly name: string
  readonly kind: keyof typeof tableKinds
  readonly isOnSearchPath: boolean
  readonly comment: string | null
}

interface ColumnRow {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly modifier: number
  readonly isNotNull: boolean
  readonly default: string | null
  readonly identity: '' | 'a' | 'd'
  readonly generated: string
  readonly collation: string | null
  readonly isLoose: boolean | null
  readonly comment: string | null
}

interface ConstraintRow {
  readonly table: string
  readonly name: string
  readonly kind: 'p' | 'f' | 'c' | 'x'
  readonly columns: readonly string[]
  readonly expression: string
  readonly targetSchema: string
  readonly targetName: string
  readonly targetColumns: readonly string[]
  readonly onDelete: keyof typeof deleteActions
  readonly isDeferrable: boolean
}

interface IndexRow {
  readonly table: string
  readonly name: string
  readonly isUnique: boolean
  readonly isValid: boolean
  readonly isDeferrable: boolean
  readonly method: string
  readonly predicate: string | null
  readonly keys: readonly {
    readonly column: string | null
    readonly sql: string
    readonly isDescending: boolean
    readonly collation: string | null
  }[]
}

const tableKinds = {
  r: 'table',
  p: 'partitioned',
  f: 'foreign',
  v: 'view',
  m: 'materializedView',
} as const satisfies Record<string, TableSchema['kind']>

const deleteActions = {
  a: 'noAction',
  r: 'restrict',
  c: 'cascade',
  n: 'setNull',
  d: 'setDefault',
} as const satisfies Record<string, ForeignKeySchema['onDelete']>

/** Partitions are part of their table: they are read only by their names. */
function wantedSql(selection: TableSelection): string {
  const isOwn =
    "not c.relispartition and not exists (select 1 from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')"
  const conditions = {
    tables:
      'exists (select 1 from jsonb_to_recordset($1::jsonb) as w(schema text, name text) where w.name = c.relname and (w.schema = n.nspname or w.schema is null and pg_table_is_visible(c.oid)))',
    schemas: `n.nspname in (select jsonb_array_elements_text($1::jsonb)) and ${isOwn}`,
    all: `n.nspname <> 'information_schema' and n.nspname !~ '^pg_' and ${isOwn}`,
  } as const satisfies Record<TableSelection['kind'], string>
  const kinds = Object.keys(tableKinds).map((kind) => `'${kind}'`)
  return `
  wanted as (
    select c.oid, n.nspname, c.relname, c.relkind from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in (${kinds.join(', ')}) and ${conditions[selection.kind]}
  )`
}

const tablesSql = `
  select jsonb_build_object(
    'oid', c.oid::text, 'schema', c.nspname, 'name', c.relname, 'kind', c.relkind,
    'isOnSearchPath', pg_table_is_visible(c.oid),
    'comment', obj_description(c.oid, 'pg_class')
  )::text
  from wanted c order by c.nspname, c.relname`

const columnsSql = `
  select jsonb_build_object(
    'table', c.oid::text, 'name', a.attname, 'type', a.atttypid::text, 'modifier', a.atttypmod,
    'isNotNull', a.attnotnull, 'default', pg_get_expr(d.adbin, d.adrelid),
    'identity', a.attidentity, 'generated', a.attgenerated,
    'collation', case when a.attcollation <> t.typcollation then l.collname end,
    'isLoose', l.collisdeterministic = false,
    'comment', col_description(c.oid, a.attnum)
  )::text
  from wanted c join pg_attribute a on a.attrelid = c.oid join pg_type t on t.oid = a.atttypid
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  left join pg_collation l on l.oid = a.attcollation
  where a.attnum > 0 and not a.attisdropped order by c.oid, a.attnum`

/** The names of columns, in the order of an array of their numbers. */
function columnNamesSql(table: string, numbers: string): string {
  return `coalesce((
      select jsonb_agg(a.attname order by p.position)
      from unnest(${numbers}) with ordinality p(number, position)
      join pg_attribute a on a.attrelid = ${table} and a.attnum = p.number
    ), '[]')`
}

/** Foreign keys to the partitions of a table belong to the one to the table. */
const constraintsSql = `
  select jsonb_build_object(
    'table', c.oid::text, 'name', k.conname, 'kind', k.contype,
    'columns', ${columnNamesSql('c.oid', 'k.conkey')},
    'expression', case k.contype
      when 'c' then pg_get_expr(k.conbin, k.conrelid)
      when 'x' then pg_get_constraintdef(k.oid)
    end,
    'targetSchema', tn.nspname, 'targetName', t.relname,
    'targetColumns', ${columnNamesSql('k.confrelid', 'k.confkey')},
    'onDelete', k.confdeltype, 'isDeferrable', k.condeferrable
  )::text
  from wanted c join pg_constraint k on k.conrelid = c.oid
  left join pg_class t on t.oid = k.confrelid left join pg_namespace tn on tn.oid = t.relnamespace
  where k.contype in ('p', 'f', 'c', 'x') and not exists (
    select 1 from pg_constraint parent
    where parent.oid = k.conparentid and parent.conrelid = k.conrelid
  )
  order by c.oid, k.conname`

/** Without those of primary keys and of `exclude`. */
const indexesSql = `
  select jsonb_build_object(
    'table', c.oid::text, 'name', i.relname, 'isUnique', x.indisunique,
    'isValid', x.indisvalid and x.indisready, 'isDeferrable', not x.indimmediate,
    'method', m.amname, 'predicate', pg_get_expr(x.indpred, x.indrelid),
    'keys', (
      select jsonb_agg(jsonb_build_object(
        'column', a.attname,
        'sql', pg_get_indexdef(x.indexrelid, p.position::int, true),
        'isDescending', x.indoption[p.position - 1] & 1 = 1,
        'collation', case when l.collname <> 'default' then l.collname end
      ) order by p.position)
      from generate_series(1, x.indnkeyatts) p(position)
      left join pg_attribute a on a.attrelid = x.indrelid and a.attnum = x.indkey[p.position - 1]
        and a.attnum <> 0
      left join pg_collation l on l.oid = x.indcollation[p.position - 1]
    )
  )::text
  from wanted c join pg_index x on x.indrelid = c.oid join pg_class i on i.oid = x.indexrelid
  join pg_am m on m.oid = i.relam
  where not x.indisprimary and not x.indisexclusion order by c.oid, i.relname`

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
  { schema, name, kind, isOnSearchPath, comment }: TableRow,
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
    })),
    indexes: indexes
      .filter((index) => !isUniqueKey(index))
      .map(({ isUnique, isValid, method, keys, predicate, ...index }) => ({
        name: index.name,
        isUnique,
        isValid,
        method,
        keys: keys.map(({ column, sql, isDescending, collation }) => ({
          column: column ?? undefined,
          sql,
          direction: isDescending ? 'desc' : 'asc',
          collation: collation ?? undefined,
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
    })),
    checks: ofKind('c').map(checkOf),
    exclusions: ofKind('x').map(checkOf),
  }
}

function isUniqueKey({ isUnique, isValid, predicate, keys }: IndexRow): boolean {
  return isUnique && isValid && predicate === null && keys.every(({ column }) => column !== null)
}

function checkOf({ name, expression, columns }: ConstraintRow): TableSchema['checks'][number] {
  return { name, expression, columns }
}
