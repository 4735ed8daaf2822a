import type { ColumnCodec, ColumnType } from '../../tables/column-type.ts'
import {
  type BaseType,
  type DatabaseType,
  withoutDomains,
} from '../../tables/schema/database-type.ts'
import {
  collatedTextCodec,
  integerIdCodec,
  localInstantCodec,
  numericIdCodec,
  numericTextCodec,
  sqliteCodecs,
  untypedTextCodec,
  withoutBlobs,
} from './codecs.ts'

/** What SQLite prefers to keep in a column, as its declared type says. */
type Affinity = 'integer' | 'text' | 'blob' | 'real' | 'numeric'

const { date, uuid, instant, decimal, integer, number, boolean, json } = sqliteCodecs

const anyText = {
  text: collatedTextCodec,
  numeric: numericTextCodec,
  blob: untypedTextCodec,
} as const

/** The columns that can hold a type of fields. */
const codecs: Readonly<Record<ColumnType, Readonly<Partial<Record<Affinity, ColumnCodec>>>>> = {
  text: anyText,
  date: { text: date, numeric: numericTextCodec },
  uuid: { text: uuid, blob: numericTextCodec },
  // `datetime` is numeric for SQLite, which leaves texts with hyphens as they are.
  instant: { text: instant, numeric: localInstantCodec },
  decimal: { text: decimal },
  integer: { integer, numeric: integer },
  number: { real: number, numeric: number, integer: number },
  boolean: { integer: boolean, numeric: boolean },
  json: { text: json, numeric: json, blob: json },
  texts: { text: json, numeric: json, blob: json },
  id: { text: collatedTextCodec, integer: integerIdCodec },
}

/** What a view computes has no type, and values as they come. */
const untyped: Readonly<Partial<Record<ColumnType, ColumnCodec>>> = { integer, number, boolean }

/** How a column keeps values of a type of fields; undefined if it cannot hold them. */
export function sqliteCodecFor(
  type: ColumnType,
  databaseType: DatabaseType,
): ColumnCodec | undefined {
  const column = withoutDomains(databaseType)
  if (column.kind !== 'base') return undefined
  if (type === 'id' && isWholeNumber(column)) return numericIdCodec
  const affinity = affinityOf(column.name)
  const codec = codecs[type][affinity] ?? (column.name === '' ? untyped[type] : undefined)
  // `any` and `blob` of strict tables have BLOBs.
  const hasNoBlobs = column.isStrict && (affinity === 'text' || affinity === 'integer')
  return codec && hasNoBlobs ? withoutBlobs(codec) : codec
}

/** Is it declared as a number that may be whole? */
function isWholeNumber({ name, scale = 0 }: BaseType): boolean {
  return (name === 'numeric' || name === 'decimal') && scale === 0
}

/** By the rules of SQLite, in their order. */
function affinityOf(name: string): Affinity {
  if (name.includes('int')) return 'integer'
  if (/char|clob|text/.test(name)) return 'text'
  if (name === '' || name.includes('blob')) return 'blob'
  return /real|floa|doub/.test(name) ? 'real' : 'numeric'
}
