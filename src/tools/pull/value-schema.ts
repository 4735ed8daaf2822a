import { type ColumnType, type DatabaseType, withoutDomains } from '../../store/read-database.ts'
import { type CheckRule, checkRules } from './check-rules.ts'
import { isSign } from './decimal-text.ts'
import type { ScalarName } from './pulled-model.ts'
import { limitedSchema, type ZodText } from './schema-limits.ts'
import { quoted } from './source-text.ts'

/** Can a column of this type hold fields of that one? */
export type Holds = (type: ColumnType, databaseType: DatabaseType) => boolean

/** A schema of zod that a column may have. */
interface Candidate extends ZodText {
  readonly type: ColumnType
  readonly scalar?: ScalarCall
}

/** A call of a schema of resourcery, whose options say what may be absent. */
interface ScalarCall {
  readonly name: ScalarName
  /** The arguments before the options. */
  readonly digits: readonly string[]
}

/** A check, by its name. */
export interface NamedCheck {
  readonly name: string
  readonly expression: string
}

/** The checks that a schema says, and those that only the database knows. */
export interface CheckedSchema {
  /** Undefined for a schema of zod. */
  readonly scalar?: ScalarCall | undefined
  readonly text: string
  readonly databaseChecks: readonly NamedCheck[]
}

/** Undefined if the store cannot keep a field in such a column. */
export function valueSchema(
  type: DatabaseType,
  holds: Holds,
  column: string,
  checks: readonly NamedCheck[],
  hasLargeIntegers: boolean,
): CheckedSchema | undefined {
  const read = checks.map((check) => ({ check, rules: checkRules(check.expression, column) }))
  let base = type
  for (; base.kind === 'domain'; base = base.base)
    for (const check of base.checks)
      read.push({ check, rules: checkRules(check.expression, 'VALUE') })
  const rules = read.flatMap(({ rules = [] }) => rules)
  const schema = [...scalarCandidates(base, rules), ...candidates(base, hasLargeIntegers)].find(
    (candidate) => holds(candidate.type, type),
  )
  if (!schema) return undefined
  const { text, databaseRules } = limitedSchema(schema, base, rules)
  return {
    text,
    scalar: schema.scalar,
    databaseChecks: read
      .filter(({ rules }) => rules === undefined || rules.some((rule) => databaseRules.has(rule)))
      .map(({ check }) => check),
  }
}

/**
 * Schemas of resourcery, which say more than those of zod. `decimal()` says no sign, so columns
 * with a check of it keep a pattern.
 */
function scalarCandidates(type: DatabaseType, rules: readonly CheckRule[]): readonly Candidate[] {
  if (type.kind !== 'base') return []
  const scalar = (name: ScalarName, type: ColumnType, digits: readonly string[] = []) => ({
    text: `${name}()`,
    kind: 'other' as const,
    type,
    scalar: { name, digits },
  })
  const { name, precision, scale = 0 } = type
  if (name === 'date') return [scalar('date', 'date')]
  if (name === 'timestamp with time zone') return [scalar('dateTime', 'instant')]
  const isDecimal = name === 'numeric' && precision !== undefined && scale >= 0
  if (!isDecimal || scale > precision || rules.some(isSign)) return []
  return [scalar('decimal', 'decimal', [String(precision), String(scale)])]
}

/** @param hasLargeIntegers whether the column has integers that JavaScript cannot hold exactly */
function candidates(type: DatabaseType, hasLargeIntegers: boolean): readonly Candidate[] {
  const text: Candidate = { text: 'z.string()', kind: 'text', type: 'text' }
  switch (type.kind) {
    case 'base':
      if (type.name === 'bigint' && hasLargeIntegers) return [integerText]
      // A column for BLOBs of SQLite could have texts, but clients would see its BLOBs as null.
      return type.name.includes('blob') ? [] : [...(baseCandidates[type.name] ?? []), text]
    case 'enum':
      return [
        { text: `z.enum([${type.values.map(quoted).join(', ')}])`, kind: 'other', type: 'text' },
      ]
    case 'array': {
      const [items] = candidates(type.items, hasLargeIntegers)
      if (!items) return []
      const { text } = limitedSchema(items, withoutDomains(type.items), [])
      // Nothing keeps NULL out of an array.
      return [{ text: `z.array(${text}.nullable())`, kind: 'other', type: 'json' }]
    }
    case 'domain':
      return candidates(type.base, hasLargeIntegers)
    case 'range':
    case 'composite':
    case 'other':
      return [text]
  }
}

const integer: Candidate = { text: 'z.int()', kind: 'number', type: 'integer' }
/** All digits of an integer of 64 bits. */
const integerText: Candidate = {
  text: String.raw`z.string().regex(/^-?\d{1,19}$/)`,
  kind: 'other',
  type: 'text',
}
const double: Candidate = { text: 'z.number()', kind: 'number', type: 'number' }
const instant: Candidate = {
  text: 'z.iso.datetime({ offset: true })',
  kind: 'other',
  type: 'instant',
}
const json: Candidate = { text: 'z.unknown()', kind: 'other', type: 'json' }
const decimal: Candidate = { text: 'z.string()', kind: 'decimal', type: 'text' }
const boolean: Candidate = { text: 'z.boolean()', kind: 'other', type: 'boolean' }

/** The first one that the store can keep is taken. The names are those of both engines. */
const baseCandidates: Readonly<Record<string, readonly Candidate[]>> = {
  smallint: [integer],
  integer: [integer],
  bigint: [integer],
  'double precision': [double],
  real: [double],
  // Exact, as its text.
  numeric: [decimal, double],
  boolean: [boolean],
  date: [{ text: 'z.iso.date()', kind: 'other', type: 'date' }],
  'timestamp with time zone': [instant],
  'timestamp without time zone': [instant],
  uuid: [{ text: 'z.uuid()', kind: 'other', type: 'uuid' }],
  jsonb: [json],
  json: [json],
  // SQLite has any name for a type.
  int: [integer],
  tinyint: [integer],
  mediumint: [integer],
  int2: [integer],
  int8: [integer],
  double: [double],
  float: [double],
  decimal: [decimal, double],
  bool: [boolean],
  datetime: [instant],
  timestamp: [instant],
}
