import type {
  ForeignKeySchema,
  TableSchema,
  TableSelection,
} from '../tables/schema/database-schema.ts'
import { captureTriggerPrefix } from './change-capture.ts'

// Statements that read the catalog, and their rows. Each row is one JSON text.

/** A row of `tablesSql`. */
export interface TableRow {
  readonly oid: string
  readonly schema: string
  readonly name: string
  readonly kind: keyof typeof tableKinds
  readonly isOnSearchPath: boolean
  readonly hasRowPolicies: boolean
  readonly captureTriggers: readonly string[]
  readonly comment: string | null
}

/** A row of `columnsSql`. */
export interface ColumnRow {
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

/** A row of `constraintsSql`. */
export interface ConstraintRow {
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
  readonly isValidated: boolean
}

/** A row of `indexesSql`. */
export interface IndexRow {
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
    readonly isNullsFirst: boolean
    readonly collation: string | null
  }[]
}

/** The kinds of tables, by the letters of the catalog. */
export const tableKinds: Readonly<Record<'r' | 'p' | 'f' | 'v' | 'm', TableSchema['kind']>> = {
  r: 'table',
  p: 'partitioned',
  f: 'foreign',
  v: 'view',
  m: 'materializedView',
}

/** What happens to a row whose target is deleted, by the letters of the catalog. */
export const deleteActions: Readonly<
  Record<'a' | 'r' | 'c' | 'n' | 'd', ForeignKeySchema['onDelete']>
> = {
  a: 'noAction',
  r: 'restrict',
  c: 'cascade',
  n: 'setNull',
  d: 'setDefault',
}

/** Partitions are part of their table: they are read only by their names. */
export function wantedSql(selection: TableSelection): string {
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
    select c.oid, n.nspname, c.relname, c.relkind, c.relrowsecurity from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in (${kinds.join(', ')}) and ${conditions[selection.kind]}
  )`
}

export const tablesSql: string = `
  select jsonb_build_object(
    'oid', c.oid::text, 'schema', c.nspname, 'name', c.relname, 'kind', c.relkind,
    'isOnSearchPath', pg_table_is_visible(c.oid), 'hasRowPolicies', c.relrowsecurity,
    'captureTriggers', array(
      select t.tgname from pg_trigger t
      where t.tgrelid = c.oid and t.tgenabled in ('O', 'A') and starts_with(t.tgname, '${captureTriggerPrefix}')
      order by t.tgname
    ),
    'comment', obj_description(c.oid, 'pg_class')
  )::text
  from wanted c order by c.nspname, c.relname`

export const columnsSql = `
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
export const constraintsSql: string = `
  select jsonb_build_object(
    'table', c.oid::text, 'name', k.conname, 'kind', k.contype,
    'columns', ${columnNamesSql('c.oid', 'k.conkey')},
    'expression', case k.contype
      when 'c' then pg_get_expr(k.conbin, k.conrelid)
      when 'x' then pg_get_constraintdef(k.oid)
    end,
    'targetSchema', tn.nspname, 'targetName', t.relname,
    'targetColumns', ${columnNamesSql('k.confrelid', 'k.confkey')},
    'onDelete', k.confdeltype, 'isDeferrable', k.condeferrable, 'isValidated', k.convalidated
  )::text
  from wanted c join pg_constraint k on k.conrelid = c.oid
  left join pg_class t on t.oid = k.confrelid left join pg_namespace tn on tn.oid = t.relnamespace
  where k.contype in ('p', 'f', 'c', 'x') and not exists (
    select 1 from pg_constraint parent
    where parent.oid = k.conparentid and parent.conrelid = k.conrelid
  )
  order by c.oid, k.conname`

/** Without those of primary keys and of `exclude`. */
export const indexesSql = `
  select jsonb_build_object(
    'table', c.oid::text, 'name', i.relname, 'isUnique', x.indisunique,
    'isValid', x.indisvalid and x.indisready, 'isDeferrable', not x.indimmediate,
    'method', m.amname, 'predicate', pg_get_expr(x.indpred, x.indrelid),
    'keys', (
      select jsonb_agg(jsonb_build_object(
        'column', a.attname,
        'sql', pg_get_indexdef(x.indexrelid, p.position::int, true),
        'isDescending', x.indoption[p.position - 1] & 1 = 1,
        'isNullsFirst', x.indoption[p.position - 1] & 2 = 2,
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

/** Clients may send any character, in the path of an item too. */
export const encodingSql = "select to_json(current_setting('server_encoding'))::text"

export const currentSchemaSql = "select coalesce(to_json(current_schema())::text, 'null')"

/** Connections without a pooler need PL/pgSQL themselves (`connect`). */
export const mayCreateFunctionsSql =
  "select to_json(coalesce(has_schema_privilege(current_schema(), 'create'), false) and exists (select 1 from pg_language l where l.lanname = 'plpgsql' and has_language_privilege(l.oid, 'usage')))::text"
