/**
 * The conditions that a check joins by `and`, without casts, and without the parentheses around
 * single values.
 */
export function conditionsOf(expression: string): readonly string[] {
  return splitBy('and', withoutBetween(withoutCasts(expression)))
}

/** The conditions that `or` joins; the whole condition if there is none. */
export function alternativesOf(condition: string): readonly string[] {
  return splitBy('or', condition)
}

const typeNames =
  'character varying|double precision|time(?:stamp)? with(?:out)? time zone|"[^"]+"|[a-z_][\\w.]*'

/** Casts and the parentheses around single values say nothing about the values. */
function withoutCasts(expression: string): string {
  const cast = new RegExp(`::(?:${typeNames})(?:\\([\\d, ]+\\))?(?:\\[\\])*`, 'gi')
  const texts: string[] = []
  // Parentheses in a text are part of it.
  let code = expression
    .replaceAll(/'(?:[^']|'')*'/g, (text) => `'${texts.push(text) - 1}'`)
    .replaceAll(cast, '')
  for (let before = ''; before !== code; ) {
    before = code
    code = code.replaceAll(/(?<![\w\]])\(\s*(-?[\w.]+|"[^"]+"|'\d+')\s*\)/g, '$1')
  }
  return code.replaceAll(/'(\d+)'/g, (_, index) => texts[Number(index)]!)
}

/** PostgreSQL writes `x between 1 and 5` as two comparisons. SQLite leaves it as it is. */
function withoutBetween(expression: string): string {
  return mapCode(expression, (code) =>
    code.replaceAll(
      /(\w+(?:\(\w+\))?|"[^"]+"|`[^`]+`|\[[^\]]+\]) +between +(-?[\d.]+) +and +(-?[\d.]+)/gi,
      '($1 >= $2 and $1 <= $3)',
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

function splitBy(operator: 'and' | 'or', expression: string): readonly string[] {
  const text = withoutOuterParentheses(expression.trim())
  const parts: string[] = []
  let start = 0
  const word = ` ${operator} `
  for (const { index, depth } of positionsOf(text))
    if (depth === 0 && text.slice(index, index + word.length).toLowerCase() === word) {
      parts.push(text.slice(start, index))
      start = index + word.length
    }
  if (parts.length === 0) return [text]
  return [...parts, text.slice(start)].flatMap((part) => splitBy(operator, part))
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
