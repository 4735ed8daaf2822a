import { alternativesOf, conditionsOf } from './check-expression.ts'
import { globPattern, likePattern, sharedPattern } from './text-patterns.ts'

/** What a check says of the values of one column. */
export type CheckRule =
  | { readonly kind: 'values'; readonly values: readonly string[] }
  | { readonly kind: 'numbers'; readonly values: readonly number[] }
  | { readonly kind: 'bound' | 'length'; readonly operator: Operator; readonly limit: number }
  /** The source of a regular expression. */
  | { readonly kind: 'pattern'; readonly source: string }

export type Operator = '>=' | '>' | '<=' | '<'

/**
 * The rules of a check in SQL, as PostgreSQL and SQLite write it; undefined if it says anything
 * else, or speaks of another column.
 *
 * @param column the name of the column, or `VALUE` in a domain
 */
export function checkRules(expression: string, column: string): readonly CheckRule[] | undefined {
  const names = [column, `"${column.replaceAll('"', '""')}"`, `\`${column}\``, `[${column}]`]
  const value = names.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  return rulesOf(expression, `(?:${value})`)
}

function rulesOf(expression: string, value: string): readonly CheckRule[] | undefined {
  const rules = conditionsOf(expression).map((condition) => rulesOfCondition(condition, value))
  return rules.some((rule) => rule === undefined) ? undefined : rules.flatMap((rule) => rule!)
}

/** A check does not refuse NULL, so that `x is null or …` says what the rest says. */
function rulesOfCondition(condition: string, value: string): readonly CheckRule[] | undefined {
  const isNull = new RegExp(`^${value} is null$`, 'i')
  const all = alternativesOf(condition)
  const alternatives = all.filter((alternative) => !isNull.test(alternative))
  if (all.length > 1 && alternatives.length === 1) return rulesOf(alternatives[0]!, value)
  const rules = alternatives.map((alternative) => ruleOf(alternative, value))
  if (rules.length === 1) return rules[0] && [rules[0]]
  const texts = rules.flatMap((rule) => (rule?.kind === 'values' ? [rule] : []))
  if (texts.length !== rules.length || texts.length === 0) return undefined
  return [{ kind: 'values', values: texts.flatMap(({ values }) => values) }]
}

const text = "'((?:[^']|'')*)'"
const trimPattern = (value: string) =>
  `b?trim\\((?:both from )?${value}\\)|trim\\(both from ${value}\\)`

function ruleOf(condition: string, value: string): CheckRule | undefined {
  const match = (pattern: string) => new RegExp(pattern, 'i').exec(condition)
  const bound = match(`^${value} *(>=|<=|>|<) *'?(-?\\d+(?:\\.\\d+)?)'?$`)
  if (bound) return { kind: 'bound', operator: bound[1] as Operator, limit: Number(bound[2]) }
  const length = match(`^(?:char(?:acter)?_)?length\\(${value}\\) *(>=|<=|>|<) *(\\d+)$`)
  if (length) return { kind: 'length', operator: length[1] as Operator, limit: Number(length[2]) }
  if (match(`^${value} *(?:<>|!=) *''$`)) return { kind: 'length', operator: '>', limit: 0 }
  if (
    match(
      `^(?:(?:${trimPattern(value)}) *(?:<>|!=) *''|length\\((?:${trimPattern(value)})\\) *> *0)$`,
    )
  )
    return { kind: 'pattern', source: '[^ ]' }
  const pattern = match(`^${value} *(~~|like|glob|~) *${text}$`)
  if (pattern) return patternRule(pattern[1]!.toLowerCase(), unquoted(pattern[2]!))
  const equal = match(`^${value} *= *${text}$`)
  if (equal) return { kind: 'values', values: [unquoted(equal[1]!)] }
  const list = match(`^${value} *(?:= *any *\\(*array *\\[|in *\\()(.*?)[\\])]+$`)
  return list ? listRule(list[1]!) : undefined
}

function patternRule(operator: string, pattern: string): CheckRule | undefined {
  const source = {
    // In PostgreSQL; `like` remains as it is in SQLite only, where case does not count.
    '~~': () => likePattern(pattern, false),
    like: () => likePattern(pattern, true),
    glob: () => globPattern(pattern),
    '~': () => sharedPattern(pattern),
  }[operator]!()
  return source === undefined ? undefined : { kind: 'pattern', source }
}

/** Texts or numbers; undefined if the list has anything else. */
function listRule(list: string): CheckRule | undefined {
  if (/^\s*-?\d+(?:\.\d+)?(?:\s*,\s*-?\d+(?:\.\d+)?)*\s*$/.test(list))
    return { kind: 'numbers', values: list.split(',').map(Number) }
  const texts = [...list.matchAll(new RegExp(text, 'g'))].map(([, content]) => unquoted(content!))
  const rest = list.replaceAll(new RegExp(text, 'g'), '').replaceAll(/[\s,]/g, '')
  return texts.length > 0 && rest === '' ? { kind: 'values', values: texts } : undefined
}

function unquoted(content: string): string {
  return content.replaceAll("''", "'")
}
