import type { Condition, FieldPath, PageRange, QueryPlan, SearchTerm } from './query-plan.ts'
import { isRelevance } from './sort-keys.ts'

/**
 * Prints a plan as an indented tree, for logs and tests.
 *
 * ```
 * and
 *   price greaterThanOrEqual 10
 *   author.name contains "Shelley"
 * sort price desc
 * offset 0 limit 20
 * ```
 *
 * ```ts
 * const query = router.query(Book).where('price').greaterThan(10).sort('price', 'desc')
 * console.log(printQueryPlan(query.plan))
 * ```
 */
export function printQueryPlan(plan: QueryPlan): string {
  const sort = plan.sort.map(
    (key) => `sort ${isRelevance(key) ? 'relevance' : printPath(key.path)} ${key.direction}`,
  )
  return [printCondition(plan.condition), ...sort, printPageRange(plan.pageRange)].join('\n')
}

function printCondition(condition: Condition, indent = ''): string {
  const nested = (conditions: readonly Condition[]) =>
    conditions.map((inner) => `\n${printCondition(inner, `${indent}  `)}`).join('')
  switch (condition.kind) {
    case 'always':
    case 'never':
      return indent + condition.kind
    case 'compare':
      return `${indent}${printPath(condition.path)} ${condition.operator} ${JSON.stringify(condition.value)}`
    case 'oneOf':
      return `${indent}${printPath(condition.path)} oneOf ${JSON.stringify(condition.values)}`
    case 'text':
      return `${indent}${printPath(condition.path)} ${condition.operator} ${JSON.stringify(condition.value)}`
    case 'search':
      return `${indent}${condition.fields.map(({ path }) => printPath(path)).join(', ')} search${condition.terms.map(printTerm).join('')}`
    case 'members':
      return `${indent}${printPath(condition.path)} ${condition.quantity} ${JSON.stringify(condition.values)}`
    case 'some':
      return `${indent}${printPath(condition.path)} some${nested([condition.condition])}`
    case 'and':
    case 'or':
      return indent + condition.kind + nested(condition.conditions)
    case 'not':
      return `${indent}not${nested([condition.condition])}`
  }
}

function printTerm({ words, ending, isExcluded }: SearchTerm): string {
  return ` ${isExcluded ? '-' : ''}${JSON.stringify(words)}${ending === 'word' ? '' : '…'}`
}

function printPath(path: FieldPath): string {
  const guards = (path.guards ?? []).map(({ depth, condition }) => {
    const item = depth === 0 ? 'item' : path.names.slice(0, depth).join('.')
    return ` [${item} where ${printCondition(condition)}]`
  })
  return path.names.join('.') + guards.join('')
}

function printPageRange(pageRange: PageRange): string {
  switch (pageRange.kind) {
    case 'offset':
      return `offset ${pageRange.offset} limit ${pageRange.limit}`
    case 'after':
    case 'before':
      return `${pageRange.kind} ${JSON.stringify(pageRange.position)} limit ${pageRange.limit}`
    case 'between':
      return `between ${JSON.stringify(pageRange.after)} and ${JSON.stringify(pageRange.before)} limit ${pageRange.limit}`
  }
}
