import type { DatabaseType } from '../../store/read-database.ts'
import type { CheckRule } from './check-rules.ts'
import type { LimitedSchema } from './limited-schema.ts'

/** A decimal number as a text of digits, as many as its column keeps. */
export function decimalText(type: DatabaseType, rules: readonly CheckRule[]): LimitedSchema {
  const signs = rules.filter(isSign)
  const isPositive = signs.some(({ operator }) => operator === '>')
  const sign = signs.length === 0 ? '-?' : ''
  const notZero = isPositive ? '(?!0+(\\.0+)?$)' : ''
  return {
    text: `z.string().regex(/^${notZero}${sign}${digits(type)}$/)`,
    databaseRules: new Set(rules.filter((rule) => !isSign(rule))),
  }
}

/** A pattern can say which sign a number has, and no other limit. */
export function isSign(rule: CheckRule): rule is Extract<CheckRule, { operator: string }> {
  return rule.kind === 'bound' && rule.operator.startsWith('>') && rule.limit === 0
}

function digits(type: DatabaseType): string {
  const { precision, scale = 0 } = type.kind === 'base' ? type : {}
  if (precision === undefined) return '\\d+(\\.\\d+)?'
  const whole = precision - scale
  const integer = whole <= 0 ? '0' : whole === 1 ? '\\d' : `\\d{1,${whole}}`
  if (scale <= 0) return integer
  return `${integer}(\\.\\d${scale === 1 ? '' : `{1,${scale}}`})?`
}
