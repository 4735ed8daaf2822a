import { isDeepStrictEqual } from 'node:util'
import { conjunctsOf, toFieldPath } from '../../query/conditions.ts'
import type { Condition, PageRange, QueryPlan, SearchCondition } from '../../query/query-plan.ts'
import { isRelevance } from '../../query/sort-keys.ts'

/** Pages of more items, and beyond as many, are not cheap to read class by class. */
const maxItems = 1_000

/** The items of a plan that have one relevance, in its order. */
interface RelevanceClass {
  readonly relevance: number
  /** Its positions have the id in place of the relevance. */
  readonly plan: QueryPlan
}

/** The items of a plan by their relevance, the highest first. */
interface RelevanceClasses {
  readonly classes: readonly RelevanceClass[]
  /** Have the classes all items? Otherwise those of the highest relevance only. */
  readonly areAll: boolean
}

/**
 * The classes in which a page of the plan begins, if it is sorted by relevance alone. Their items
 * are in the order of ids, so that reading them ends with the page. For several terms only the
 * highest class: too few items may be in each of the many others.
 */
export function relevanceClasses(plan: QueryPlan): RelevanceClasses | undefined {
  const { condition, sort, pageRange } = plan
  const [key] = sort
  if (!key || sort.length > 1 || !isRelevance(key) || key.direction !== 'desc') return undefined
  if (pageRange.limit > maxItems || (pageRange.kind === 'offset' && pageRange.offset > maxItems))
    return undefined
  const { search } = key
  const operands = conjunctsOf(condition)
  // Only then each term occurs in a field, and every item is in a class.
  if (!operands.some((operand) => isDeepStrictEqual(operand, search))) return undefined
  const terms = search.terms.filter(({ isExcluded }) => !isExcluded)
  if (terms.length === 0) return undefined
  const excluded = search.terms.filter(({ isExcluded }) => isExcluded)
  // That its other terms occur is what the classes say.
  const others: readonly Condition[] = [
    ...operands.filter((operand) => !isDeepStrictEqual(operand, search)),
    ...(excluded.length === 0 ? [] : [{ ...search, terms: excluded }]),
  ]
  const areAll = terms.length === 1
  const weights = [...new Set(search.fields.map(({ weight }) => weight))].sort(
    (one, other) => other - one,
  )
  const classes = weights.slice(0, areAll ? undefined : 1).flatMap((weight): RelevanceClass[] => {
    const relevance = weight * terms.length
    const range = rangeOf(pageRange, relevance)
    if (!range) return []
    const conditions = [...occursWith(search, terms, weight), ...others]
    const ofClass: Condition = { kind: 'and', conditions }
    const byId = { path: toFieldPath('id'), direction: 'desc' } as const
    return [{ relevance, plan: { condition: ofClass, sort: [byId], pageRange: range } }]
  })
  return classes.length === 0 ? undefined : { classes, areAll }
}

/** The terms occur in fields of this weight, and in none that are heavier. */
function occursWith(
  { fields }: SearchCondition,
  terms: SearchCondition['terms'],
  weight: number,
): readonly Condition[] {
  const occurs = (of: SearchCondition['fields']): Condition => ({
    kind: 'search',
    fields: of,
    terms,
  })
  const heavier = fields.filter((field) => field.weight > weight)
  const same = occurs(fields.filter((field) => field.weight === weight))
  return heavier.length === 0 ? [same] : [same, { kind: 'not', condition: occurs(heavier) }]
}

/** Where the page begins in a class; undefined where the class is before the page. */
function rangeOf(pageRange: PageRange, relevance: number): PageRange | undefined {
  const { limit } = pageRange
  const fromStart = { kind: 'offset', offset: 0, limit } as const
  // Those before the page are read too: how many of them a class has, only reading them says.
  if (pageRange.kind === 'offset') return { ...fromStart, limit: pageRange.offset + limit }
  if (pageRange.kind !== 'after') return undefined
  const [last, id] = pageRange.position
  if (id === undefined || typeof last !== 'number' || relevance > last) return undefined
  return relevance < last ? fromStart : { kind: 'after', position: [id, id], limit }
}
