import type { Condition, FieldPath, Scalar } from './query-plan.ts'

/**
 * Every item satisfies it.
 *
 * ```ts
 * const everything: QueryPlan = { ...allItemsPlan, condition: always }
 * ```
 */
export const always: Condition = Object.freeze({ kind: 'always' })

/**
 * No item satisfies it.
 *
 * ```ts
 * anyOf([never, idEquals('dune')]) // { kind: 'compare', path: { names: ['id'] }, … }
 * ```
 */
export const never: Condition = Object.freeze({ kind: 'never' })

/**
 * The path of a dotted name.
 *
 * ```ts
 * toFieldPath('author.name') // { names: ['author', 'name'] }
 * ```
 */
export function toFieldPath(dotted: string): FieldPath {
  const cached = pathCache.get(dotted)
  if (cached) return cached
  const path = Object.freeze({ names: Object.freeze(dotted.split('.')) })
  if (pathCache.size < maxCachedPaths) pathCache.set(dotted, path)
  return path
}

/** Middleware uses the same few field names in every request. */
const pathCache = new Map<string, FieldPath>()
const maxCachedPaths = 1_000

const idPath: FieldPath = Object.freeze({ names: Object.freeze(['id']) })

/**
 * The item with this id.
 *
 * ```ts
 * const condition = idEquals('dune')
 * ```
 */
export function idEquals(id: string): Condition {
  return { kind: 'compare', path: idPath, operator: 'equal', value: id }
}

/**
 * The items with any of these ids.
 *
 * ```ts
 * const condition = idIsAnyOf(['dune', 'emma'])
 * ```
 */
export function idIsAnyOf(ids: readonly string[]): Condition {
  return { kind: 'oneOf', path: idPath, values: ids }
}

/**
 * The items whose relation holds any of these ids.
 *
 * ```ts
 * const byHerbert = relatesToAny('author', 'toOne', ['herbert'])
 * const horrorOrCrime = relatesToAny('genres', 'toMany', ['horror', 'crime'])
 * ```
 */
export function relatesToAny(
  relation: string,
  kind: 'toOne' | 'toMany',
  ids: readonly Scalar[],
): Condition {
  const path = { names: [relation] }
  return kind === 'toOne'
    ? { kind: 'oneOf', path, values: ids }
    : { kind: 'members', path, quantity: 'any', values: ids }
}

/**
 * Both conditions: flat, without `always`, and `never` if one of them is `never`.
 *
 * ```ts
 * andAlso(idEquals('dune'), relatesToAny('author', 'toOne', ['herbert']))
 * ```
 */
export function andAlso(first: Condition, second: Condition): Condition {
  if (first.kind === 'always') return second
  if (second.kind === 'always') return first
  if (first.kind === 'never' || second.kind === 'never') return never
  return { kind: 'and', conditions: [...conjunctsOf(first), ...conjunctsOf(second)] }
}

/**
 * All of the conditions: `always` if there are none.
 *
 * ```ts
 * allOf([]) // always
 * allOf([idEquals('dune'), relatesToAny('author', 'toOne', ['herbert'])])
 * ```
 */
export function allOf(conditions: readonly Condition[]): Condition {
  return conditions.reduce(andAlso, always)
}

/**
 * Any of the conditions: `never` if there are none.
 *
 * ```ts
 * anyOf([]) // never
 * anyOf([idEquals('dune'), relatesToAny('author', 'toOne', ['herbert'])])
 * ```
 */
export function anyOf(conditions: readonly Condition[]): Condition {
  if (conditions.some(({ kind }) => kind === 'always')) return always
  const possible = conditions.filter(({ kind }) => kind !== 'never')
  const [first] = possible
  if (!first) return never
  return possible.length === 1 ? first : { kind: 'or', conditions: possible }
}

/**
 * The items that do not satisfy the condition. Comparisons are never unknown, so no item is in
 * both.
 *
 * ```ts
 * negate(always) // never
 * negate(negate(idEquals('dune'))) // { kind: 'compare', path: { names: ['id'] }, … }
 * ```
 */
export function negate(condition: Condition): Condition {
  switch (condition.kind) {
    case 'always':
      return never
    case 'never':
      return always
    case 'not':
      return condition.condition
    default:
      return { kind: 'not', condition }
  }
}

/**
 * The condition without the parts of its conjunction that compare nothing but this path. Searches
 * for words stay.
 *
 * ```ts
 * const condition = andAlso(idEquals('dune'), relatesToAny('author', 'toOne', ['herbert']))
 * withoutPath(condition, toFieldPath('author')) // idEquals('dune')
 * ```
 */
export function withoutPath(condition: Condition, { names }: FieldPath): Condition {
  const compared = comparedName(names)
  return allOf(
    conjunctsOf(condition).filter((part) => {
      // It is about words, whatever they stand in.
      if (part.kind === 'search') return true
      const paths = fieldPathsIn(part)
      return paths.length === 0 || paths.some((path) => comparedName(path.names) !== compared)
    }),
  )
}

/** A relation and the id of its item are the same value: `author` and `author.id`. */
function comparedName(names: readonly string[]): string {
  const isRelatedId = names.length > 1 && names.at(-1) === 'id'
  return (isRelatedId ? names.slice(0, -1) : names).join('.')
}

/** The conditions that hold together. */
export function conjunctsOf(condition: Condition): readonly Condition[] {
  return condition.kind === 'and' ? condition.conditions : [condition]
}

/**
 * The condition with every path that starts from the item replaced by `change`.
 *
 * ```ts
 * const ofAuthor = mapPaths(idEquals('herbert'), ({ names }) => ({ names: ['author', ...names] }))
 * ```
 *
 * @param changeRelated replaces the condition of `some`, whose paths start from the related items
 * that its path leads to. Default: it stays as it is.
 */
export function mapPaths(
  condition: Condition,
  change: (path: FieldPath) => FieldPath,
  changeRelated: (condition: Condition, path: FieldPath) => Condition = (related) => related,
): Condition {
  switch (condition.kind) {
    case 'always':
    case 'never':
      return condition
    case 'and':
    case 'or':
      return {
        ...condition,
        conditions: condition.conditions.map((inner) => mapPaths(inner, change, changeRelated)),
      }
    case 'not':
      return { kind: 'not', condition: mapPaths(condition.condition, change, changeRelated) }
    case 'some':
      return {
        kind: 'some',
        path: change(condition.path),
        condition: changeRelated(condition.condition, condition.path),
      }
    case 'search':
      return {
        ...condition,
        fields: condition.fields.map((field) => ({ ...field, path: change(field.path) })),
      }
    default:
      return { ...condition, path: change(condition.path) }
  }
}

/**
 * Every path from the item that the condition compares, and those that guards on the item itself
 * compare. Paths in the condition of `some` start from related items and are not among them.
 *
 * ```ts
 * fieldPathsIn(negate(idEquals('dune'))) // [{ names: ['id'] }]
 * ```
 */
export function fieldPathsIn(condition: Condition): readonly FieldPath[] {
  switch (condition.kind) {
    case 'always':
    case 'never':
      return []
    case 'and':
    case 'or':
      return condition.conditions.flatMap(fieldPathsIn)
    case 'not':
      return fieldPathsIn(condition.condition)
    case 'search':
      return condition.fields.flatMap(({ path }) => withGuardPaths(path))
    default:
      return withGuardPaths(condition.path)
  }
}

function withGuardPaths(path: FieldPath): readonly FieldPath[] {
  const guards = (path.guards ?? []).filter(({ depth }) => depth === 0)
  return [path, ...guards.flatMap((guard) => fieldPathsIn(guard.condition))]
}
