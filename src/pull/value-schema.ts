import type { ColumnType } from '../store/tables/column-type.ts'
import type { DatabaseType } from '../store/tables/schema/database-type.ts'
import { type CheckRule, checkRules, type Operator } from './check-rules.ts'
import { quoted } from './source-text.ts'

/** Can a column of this type hold fields of that one? */
export type Holds = (type: ColumnType, databaseType: DatabaseType) => boolean

/** The schema of a column, as an expression of zod. */
interface ValueSchema {
  readonly text: string
  readonly type: ColumnType
}

/** A check, by its name. */
export interface NamedCheck {
  readonly name: string
  readonly expression: string
}

/** The checks that a schema says, and those that only the database knows. */
export interface CheckedSchema {
  readonly schema: ValueSchema
  readonly databaseChecks: readonly NamedCheck[]
}

/** Undefined if the store cannot keep a field in such a column. */
export function valueSchema(
  type: DatabaseType,
  holds: Holds,
  column: string,
  checks: readonly NamedCheck[],
): CheckedSchema | undefined {
  const rules: CheckRule[] = []
  const all: NamedCheck[] = []
  const databaseChecks: NamedCheck[] = []
  const read = (check: NamedCheck, subject: string) => {
    all.push(check)
    const ruleList = checkRules(check.expression, subject)
    if (ruleList) rules.push(...ruleList)
    else databaseChecks.push(check)
  }
  for (const check of checks) read(check, column)
  let base = type
  for (; base.kind === 'domain'; base = base.base)
    for (const check of base.checks) read(check, 'VALUE')
  const schema = candidates(base).find((candidate) => holds(candidate.type, type))
  if (!schema) return undefined
  const limited = withRules(schema, maxLengthOf(base), rules)
  return { schema: limited.schema, databaseChecks: limited.hasAll ? databaseChecks : all }
}

function candidates(type: DatabaseType): readonly ValueSchema[] {
  const text: ValueSchema = { text: 'z.string()', type: 'text' }
  switch (type.kind) {
    case 'base':
      return [...(baseCandidates[type.name] ?? []), text]
    case 'enum':
      return [{ text: `z.enum([${type.values.map(quoted).join(', ')}])`, type: 'text' }]
    case 'array': {
      const [items] = candidates(type.items)
      return items ? [{ text: `z.array(${items.text})`, type: 'json' }] : []
    }
    case 'domain':
      return candidates(type.base)
    case 'range':
    case 'composite':
    case 'other':
      return [text]
  }
}

const integer: ValueSchema = { text: 'z.int()', type: 'integer' }
const double: ValueSchema = { text: 'z.number()', type: 'number' }
const instant: ValueSchema = { text: 'z.iso.datetime({ offset: true })', type: 'instant' }
const json: ValueSchema = { text: 'z.unknown()', type: 'json' }
const decimal: ValueSchema = { text: String.raw`z.string().regex(/^-?\d+(\.\d+)?$/)`, type: 'text' }

/** The first one that the store can keep is taken. The names are those of both engines. */
const baseCandidates: Readonly<Record<string, readonly ValueSchema[]>> = {
  smallint: [integer],
  integer: [integer],
  bigint: [integer],
  'double precision': [double],
  real: [double],
  // Exact, as its text.
  numeric: [decimal, double],
  boolean: [{ text: 'z.boolean()', type: 'boolean' }],
  date: [{ text: 'z.iso.date()', type: 'date' }],
  'timestamp with time zone': [instant],
  'timestamp without time zone': [instant],
  uuid: [{ text: 'z.uuid()', type: 'uuid' }],
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
  bool: [{ text: 'z.boolean()', type: 'boolean' }],
  datetime: [instant],
  timestamp: [instant],
}

function maxLengthOf(type: DatabaseType): number | undefined {
  return type.kind === 'base' && type.name.includes('char') ? type.maxLength : undefined
}

function withRules(
  { text, type }: ValueSchema,
  maxLength: number | undefined,
  rules: readonly CheckRule[],
): { readonly schema: ValueSchema; readonly hasAll: boolean } {
  const isNumber = type === 'integer' || type === 'number'
  const isText = text.startsWith('z.string()')
  const list = rules.find((rule) => rule.kind === 'values')
  if (list && text === 'z.string()')
    return {
      schema: { text: `z.enum([${list.values.map(quoted).join(', ')}])`, type },
      hasAll: rules.length === 1,
    }
  const parts = [text]
  if (maxLength !== undefined && isText) parts.push(`.max(${maxLength})`)
  let hasAll = true
  for (const rule of rules)
    if (rule.kind === 'bound' && isNumber) parts.push(boundText(rule.operator, rule.limit))
    else if (rule.kind === 'length' && isText) parts.push(lengthText(rule.operator, rule.limit))
    else hasAll = false
  return { schema: { text: parts.join(''), type }, hasAll }
}

function boundText(operator: Operator, limit: number): string {
  const names = { '>=': 'min', '>': 'gt', '<=': 'max', '<': 'lt' } as const
  return `.${names[operator]}(${limit})`
}

function lengthText(operator: Operator, limit: number): string {
  switch (operator) {
    case '>=':
      return `.min(${limit})`
    case '>':
      return `.min(${limit + 1})`
    case '<=':
      return `.max(${limit})`
    case '<':
      return `.max(${limit - 1})`
  }
}
