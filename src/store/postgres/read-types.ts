import type { BaseType, DatabaseType } from '../tables/schema/database-type.ts'

/** A type as `pg_type` has it. */
export interface TypeRow {
  readonly oid: string
  readonly name: string
  /** `b`ase, `c`omposite, `d`omain, `e`num, `p`seudo, `r`ange or `m`ultirange. */
  readonly typtype: string
  /** The type of the elements of an array. */
  readonly element: string | null
  /** The type that a domain is made of, with its modifier. */
  readonly base: string | null
  readonly baseModifier: number
  readonly isNotNull: boolean
  readonly bounds: string | null
  readonly values: readonly string[]
  readonly checks: readonly { readonly name: string; readonly expression: string }[]
}

/**
 * The types of the columns of `wanted`, and those that they are made of. Types of `pg_catalog` have
 * the names of the SQL standard.
 */
export const typesSql = `,
  used(oid) as (
    select a.atttypid from wanted c join pg_attribute a on a.attrelid = c.oid
    where a.attnum > 0 and not a.attisdropped
    union
    select part.oid from used u join pg_type t on t.oid = u.oid
    left join pg_range r on r.rngtypid = t.oid
    cross join lateral (values (t.typelem), (t.typbasetype), (r.rngsubtype)) part(oid)
    where part.oid <> 0
  )
  select jsonb_build_object(
    'oid', t.oid::text,
    'name', case when n.nspname = 'pg_catalog' then format_type(t.oid, null) else t.typname end,
    'typtype', t.typtype,
    'element', case when t.typcategory = 'A' and t.typelem <> 0 then t.typelem::text end,
    'base', case when t.typtype = 'd' then t.typbasetype::text end,
    'baseModifier', t.typtypmod,
    'isNotNull', t.typnotnull,
    'bounds', r.rngsubtype::text,
    'values', coalesce((
      select jsonb_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid
    ), '[]'),
    'checks', coalesce((
      select jsonb_agg(jsonb_build_object('name', k.conname, 'expression', pg_get_expr(k.conbin, 0)) order by k.conname)
      from pg_constraint k where k.contypid = t.oid and k.contype = 'c'
    ), '[]')
  )::text
  from pg_type t join pg_namespace n on n.oid = t.typnamespace
  left join pg_range r on r.rngtypid = t.oid
  where t.oid in (select oid from used)`

/** Finds the type of a column by its number and its modifier. */
export function typeReader(
  rows: readonly TypeRow[],
): (oid: string, modifier: number) => DatabaseType {
  const byOid = new Map(rows.map((row) => [row.oid, row]))
  const typeOf = (oid: string, modifier: number): DatabaseType => {
    const row = byOid.get(oid)!
    const { name, values } = row
    // The modifier of an array is that of its elements.
    if (row.element !== null) return { kind: 'array', items: typeOf(row.element, modifier) }
    if (row.base !== null)
      return {
        kind: 'domain',
        name,
        base: typeOf(row.base, row.baseModifier),
        isNullable: !row.isNotNull,
        checks: row.checks,
      }
    if (row.bounds !== null) return { kind: 'range', name, bounds: typeOf(row.bounds, -1) }
    switch (row.typtype) {
      case 'b':
        return { kind: 'base', name, ...ranges[name], ...modifiersOf(name, modifier) }
      case 'e':
        return { kind: 'enum', name, values }
      case 'c':
        return { kind: 'composite', name }
      default:
        return { kind: 'other', name }
    }
  }
  return typeOf
}

const ranges: Readonly<Record<string, Pick<BaseType, 'range'>>> = {
  smallint: { range: 'int16' },
  integer: { range: 'int32' },
  real: { range: 'float32' },
}

interface Modifiers {
  readonly maxLength?: number
  readonly precision?: number
  readonly scale?: number
}

/** What the modifier of a column says; each type has a form of its own, and -1 says nothing. */
function modifiersOf(name: string, modifier: number): Modifiers {
  if (modifier === -1) return {}
  switch (name) {
    case 'character varying':
    case 'character':
      return { maxLength: modifier - headerBytes }
    case 'bit':
    case 'bit varying':
      return { maxLength: modifier }
    case 'numeric': {
      const value = modifier - headerBytes
      // Eleven bits with a sign.
      const scale = ((value & 0x7ff) ^ 0x400) - 0x400
      return { precision: (value >> 16) & 0xffff, scale }
    }
    case 'time without time zone':
    case 'time with time zone':
    case 'timestamp without time zone':
    case 'timestamp with time zone':
      return { precision: modifier }
    default:
      return {}
  }
}

/** Modifiers of texts and numerics count the bytes of a length in front of the value. */
const headerBytes = 4
