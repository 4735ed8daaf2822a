/** A filter, whatever its model. */
export type AnyFilter = Readonly<Record<string, unknown>>

/**
 * The expression of a filter, as the parameter `filter` takes it; empty if it selects everything.
 *
 * ```ts
 * // "and(lt(price,9),eq(author.name,'Ada'))"
 * filterText({ price: { lt: 9 }, 'author.name': 'Ada' })
 * ```
 */
export function filterText(filter: AnyFilter): string {
  return joined('and', Object.entries(filter).flatMap(conditionsOf))
}

function conditionsOf([name, value]: readonly [string, unknown]): readonly string[] {
  if (value === undefined) return []
  if (name === 'AND') return filterTexts(value)
  if (name === 'OR') return filled([joined('or', filterTexts(value))])
  if (name === 'NOT') return filled([filterText(value as AnyFilter)]).map((text) => `not(${text})`)
  if (value === null) return [`isNull(${name})`]
  if (typeof value !== 'object' || value instanceof Date) return [`eq(${name},${literal(value)})`]
  return Object.entries(value).flatMap(([operator, operand]) => {
    if (operand === undefined) return []
    if (operator !== 'isNull') return [`${operator}(${[name, ...literalsOf(operand)]})`]
    return [operand ? `isNull(${name})` : `not(isNull(${name}))`]
  })
}

function filterTexts(filters: unknown): readonly string[] {
  return filled((filters as readonly AnyFilter[]).map(filterText))
}

function filled(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => text !== '')
}

function joined(name: 'and' | 'or', texts: readonly string[]): string {
  return texts.length > 1 ? `${name}(${texts})` : (texts[0] ?? '')
}

function literalsOf(operand: unknown): readonly string[] {
  return [operand].flat().map(literal)
}

function literal(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = value instanceof Date ? value.toISOString() : String(value)
  return `'${text.replaceAll("'", "''")}'`
}
