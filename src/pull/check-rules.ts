/** What a check says of the values of one column. */
export type CheckRule =
  | { readonly kind: 'values'; readonly values: readonly string[] }
  | { readonly kind: 'bound' | 'length'; readonly operator: Operator; readonly limit: number }

export type Operator = '>=' | '>' | '<=' | '<'

/**
 * The rules of a check in SQL, as PostgreSQL and SQLite write it; undefined if it says anything
 * else, or speaks of another column.
 *
 * @param column the name of the column, or `VALUE` in a domain
 */
export function checkRules(expression: string, column: string): readonly CheckRule[] | undefined {
  const parts = conjuncts(withoutBetween(withoutCasts(expression)))
  const rules = parts.map((part) => ruleOf(part, column))
  return rules.some((rule) => rule === undefined) ? undefined : (rules as CheckRule[])
}

const typeNames =
  'character varying|double precision|time(?:stamp)? with(?:out)? time zone|"[^"]+"|[a-z_][\\w.]*'

/** Casts and the parentheses around single values say nothing about the values. */
function withoutCasts(expression: string): string {
  const cast = new RegExp(`::(?:${typeNames})(?:\\([\\d, ]+\\))?(?:\\[\\])*`, 'gi')
  let text = mapCode(expression, (code) => code.replaceAll(cast, ''))
  for (let before = ''; before !== text; ) {
    before = text
    text = text.replaceAll(/(?<![\w\]])\(\s*(-?[\w.]+|"[^"]+"|'(?:[^']|'')*')\s*\)/g, '$1')
  }
  return text
}

/** PostgreSQL writes `x between 1 and 5` as two comparisons. SQLite leaves it as it is. */
function withoutBetween(expression: string): string {
  return mapCode(expression, (code) =>
    code.replaceAll(
      /(\w+|"[^"]+"|`[^`]+`|\[[^\]]+\]) +between +(-?[\d.]+) +and +(-?[\d.]+)/gi,
      '$1 >= $2 and $1 <= $3',
    ),
  )
}

/** Maps what is outside of texts. */
function mapCode(sql: string, map: (code: string) => string): string {
  return sql
    .split(/('(?:[^']|'')*')/)
    .map((part, index) => (index % 2 === 0 ? map(part) : part))
    .join('')
}

/** The parts that `and` joins. */
function conjuncts(expression: string): readonly string[] {
  const text = withoutOuterParentheses(expression.trim())
  const parts: string[] = []
  let start = 0
  for (const { index, depth } of positionsOf(text))
    if (depth === 0 && /^ and /i.test(text.slice(index, index + 5))) {
      parts.push(text.slice(start, index))
      start = index + 5
    }
  if (parts.length === 0) return [text]
  return [...parts, text.slice(start)].flatMap(conjuncts)
}

function withoutOuterParentheses(text: string): string {
  if (!text.startsWith('(') || !text.endsWith(')')) return text
  const isOne = positionsOf(text).every(
    ({ index, depth }) => depth > 0 || index === 0 || index === text.length - 1,
  )
  return isOne ? withoutOuterParentheses(text.slice(1, -1).trim()) : text
}

/** Each character outside of texts, with the parentheses around it. */
function positionsOf(text: string): readonly { readonly index: number; readonly depth: number }[] {
  const positions: { index: number; depth: number }[] = []
  let depth = 0
  let isText = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (character === "'") isText = !isText
    if (isText) continue
    if (character === ')') depth--
    positions.push({ index, depth })
    if (character === '(') depth++
  }
  return positions
}

function ruleOf(part: string, column: string): CheckRule | undefined {
  const names = [column, `"${column.replaceAll('"', '""')}"`, `\`${column}\``, `[${column}]`]
  const value = names.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  const bound = new RegExp(`^(?:${value}) *(>=|<=|>|<) *'?(-?\\d+(?:\\.\\d+)?)'?$`, 'i').exec(part)
  if (bound) return { kind: 'bound', operator: bound[1] as Operator, limit: Number(bound[2]) }
  const length = new RegExp(
    `^(?:char(?:acter)?_)?length\\((?:${value})\\) *(>=|<=|>|<) *(\\d+)$`,
    'i',
  ).exec(part)
  if (length) return { kind: 'length', operator: length[1] as Operator, limit: Number(length[2]) }
  const list = new RegExp(
    `^(?:${value}) *(?:= *any *\\(*array *\\[|in *\\()(.*?)[\\])]+$`,
    'i',
  ).exec(part)
  const values = list && textsIn(list[1]!)
  return values ? { kind: 'values', values } : undefined
}

/** The texts of a list; undefined if it has anything else. */
function textsIn(list: string): readonly string[] | undefined {
  const texts = [...list.matchAll(/'((?:[^']|'')*)'/g)].map(([, text]) =>
    text!.replaceAll("''", "'"),
  )
  const rest = list.replaceAll(/'(?:[^']|'')*'/g, '').replaceAll(/[\s,]/g, '')
  return texts.length > 0 && rest === '' ? texts : undefined
}
