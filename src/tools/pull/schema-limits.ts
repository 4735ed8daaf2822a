import type { DatabaseType } from '../../store/read-database.ts'
import type { CheckRule, Operator } from './check-rules.ts'
import { decimalText } from './decimal-text.ts'
import type { LimitedSchema } from './limited-schema.ts'
import { quoted } from './source-text.ts'
import { regexText } from './text-patterns.ts'

/** The schema of a column, as an expression of zod. */
export interface ZodText {
  readonly text: string
  readonly kind: 'text' | 'decimal' | 'number' | 'other'
}

/** The schema with the limits of the type of its column and of checks. */
export function limitedSchema(
  schema: ZodText,
  type: DatabaseType,
  rules: readonly CheckRule[],
): LimitedSchema {
  // Case does not count in such a column, but does in a schema.
  if (type.kind === 'base' && type.name === 'citext') return addLimits(schema, [], rules, isLength)
  switch (schema.kind) {
    case 'text': {
      const list = rules.find((rule) => rule.kind === 'values')
      if (list) return oneOf(`z.enum([${list.values.map(quoted).join(', ')}])`, rules, list)
      return addLimits(
        schema,
        maxLength(type),
        rules,
        ({ kind }) => kind !== 'numbers' && kind !== 'bound',
      )
    }
    case 'decimal':
      return decimalText(type, rules)
    case 'number': {
      const list = rules.find((rule) => rule.kind === 'numbers')
      if (list) return oneOf(`z.literal([${list.values.join(', ')}])`, rules, list)
      return addLimits(rangedNumber(schema, type), range(type, rules), rules, isBound)
    }
    case 'other':
      return { text: schema.text, databaseRules: new Set(rules) }
  }
}

const isBound = ({ kind }: CheckRule) => kind === 'bound'
const isLength = ({ kind }: CheckRule) => kind === 'length'

function oneOf(text: string, rules: readonly CheckRule[], list: CheckRule): LimitedSchema {
  return { text, databaseRules: new Set(rules.filter((rule) => rule !== list)) }
}

function addLimits(
  { text }: ZodText,
  limits: readonly string[],
  rules: readonly CheckRule[],
  isSaid: (rule: CheckRule) => boolean,
): LimitedSchema {
  return {
    text: [text, ...limits, ...rules.filter(isSaid).map(limitText)].join(''),
    databaseRules: new Set(rules.filter((rule) => !isSaid(rule))),
  }
}

function maxLength(type: DatabaseType): readonly string[] {
  return type.kind === 'base' && type.name.includes('char') && type.maxLength !== undefined
    ? [`.max(${type.maxLength})`]
    : []
}

/** zod has a name for this one. */
function rangedNumber(schema: ZodText, type: DatabaseType): ZodText {
  const isInt32 = type.kind === 'base' && type.range === 'int32'
  return isInt32 ? { ...schema, text: 'z.int32()' } : schema
}

/** The limits of others. The largest `real` is the number that PostgreSQL and clients write so. */
const ranges = { int16: ['-32768', '32767'], float32: ['-3.4028235e38', '3.4028235e38'] } as const

/** Where a check does not say more. */
function range(type: DatabaseType, rules: readonly CheckRule[]): readonly string[] {
  if (type.kind !== 'base' || type.range === undefined || type.range === 'int32') return []
  const [min, max] = ranges[type.range]
  const isBounded = (operator: '<' | '>') =>
    rules.some((rule) => rule.kind === 'bound' && rule.operator.startsWith(operator))
  return [...(isBounded('>') ? [] : [`.min(${min})`]), ...(isBounded('<') ? [] : [`.max(${max})`])]
}

function limitText(rule: CheckRule): string {
  switch (rule.kind) {
    case 'bound':
      return boundText(rule.operator, rule.limit)
    case 'length':
      return lengthText(rule.operator, rule.limit)
    case 'pattern':
      return rule.source === '' ? '' : `.regex(${regexText(rule.source)})`
    case 'values':
    case 'numbers':
      throw new Error('A list is a schema of its own.')
  }
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
