import type { ModelDescription } from '../../model/model-description.ts'
import { comparedAs, type ValueType } from '../../model/value-type.ts'
import { toDecimalKey } from '../../query/decimal.ts'
import { toInstantKey } from '../../query/instant.ts'
import type {
  Condition,
  FieldPath,
  Scalar,
  SearchCondition,
  SearchedField,
} from '../../query/query-plan.ts'
import { needleOf, wordsOf } from '../../query/search-words.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import {
  checkSearchable,
  type InverseLeaf,
  type ManyLeaf,
  type ResolvedPath,
  resolveManyPath,
  resolveScalarPath,
  resolveSomePath,
  type ScalarLeaf,
  type ToManyLeaf,
} from '../resolve-path.ts'
import type { ItemSource } from './item-source.ts'
import { valueMatcher } from './value-matcher.ts'

/** Reads a value from an item. Related items come from the source. */
export type ItemReader<T> = (values: StoredValues, source: ItemSource) => T

/**
 * Compiles a condition to a function. All stores must match the same items as this function.
 *
 * ```ts
 * const matches = matcherOf(book, idEquals('b-1'))
 * matches({ id: 'b-1', title: 'Dune' }, source) // true
 * ```
 *
 * @throws TypeError with the path, if the model does not have it
 */
export function matcherOf(model: ModelDescription, condition: Condition): ItemReader<boolean> {
  switch (condition.kind) {
    case 'always':
      return () => true
    case 'never':
      return () => false
    case 'compare':
    case 'oneOf': {
      const read = scalarReader(model, condition.path)
      const type = scalarTypeOf(model, condition.path)
      const matches = valueMatcher(condition, (value) => comparisonKey(type, value))
      return (values, source) => matches(read(values, source))
    }
    case 'text': {
      checkSearchable(condition.path, resolveScalarPath(model, condition.path).leaf)
      const read = scalarReader(model, condition.path, 'original')
      const matches = valueMatcher(condition, (value) => value)
      return (values, source) => matches(read(values, source))
    }
    case 'search': {
      const readWords = wordsReader(model, condition.fields)
      const terms = condition.terms.map((term) => ({ ...term, needle: needleOf(term) }))
      return (values, source) => {
        const texts = readWords(values, source)
        return terms.every(
          ({ needle, isExcluded }) => texts.some((words) => words.includes(needle)) !== isExcluded,
        )
      }
    }
    case 'members': {
      const read = membersReader(model, condition.path)
      const { leaf } = resolveManyPath(model, condition.path)
      const type = leaf.kind === 'value' ? leaf.type.items : undefined
      const keys = condition.values.map((value) => comparisonKey(type, value))
      return (values, source) => {
        const members = new Set(read(values, source).map((value) => comparisonKey(type, value)))
        return condition.quantity === 'any'
          ? keys.some((key) => members.has(key))
          : keys.every((key) => members.has(key))
      }
    }
    case 'some': {
      const resolved = resolveSomePath(model, condition)
      const read = followPath(model, resolved, relatedReader(resolved.leaf), [])
      return (values, source) => read(values, source).length > 0
    }
    case 'and': {
      const matchers = condition.conditions.map((inner) => matcherOf(model, inner))
      return (values, source) => matchers.every((matches) => matches(values, source))
    }
    case 'or': {
      const matchers = condition.conditions.map((inner) => matcherOf(model, inner))
      return (values, source) => matchers.some((matches) => matches(values, source))
    }
    case 'not': {
      const matches = matcherOf(model, condition.condition)
      return (values, source) => !matches(values, source)
    }
  }
}

/** How well an item fits a search (`RelevanceSortKey`). */
export function relevanceReader(
  model: ModelDescription,
  { fields, terms }: SearchCondition,
): ItemReader<number> {
  const readWords = wordsReader(model, fields)
  const needles = terms.filter(({ isExcluded }) => !isExcluded).map(needleOf)
  return (values, source) => {
    const texts = readWords(values, source)
    const weightOf = (needle: string) =>
      Math.max(
        0,
        ...fields.map(({ weight }, index) => (texts[index]!.includes(needle) ? weight : 0)),
      )
    return needles.reduce((sum, needle) => sum + weightOf(needle), 0)
  }
}

/** Reads the words of each field; none where it is no text. */
function wordsReader(
  model: ModelDescription,
  fields: readonly SearchedField[],
): ItemReader<readonly string[]> {
  const readers = fields.map(({ path }) => {
    checkSearchable(path, resolveScalarPath(model, path).leaf)
    return scalarReader(model, path, 'original')
  })
  return (values, source) =>
    readers.map((read) => {
      const value = read(values, source)
      return typeof value === 'string' ? wordsOf(value) : ''
    })
}

function scalarTypeOf(model: ModelDescription, path: FieldPath): ValueType | undefined {
  const { leaf } = resolveScalarPath(model, path)
  return leaf.kind === 'value' ? leaf.type : undefined
}

/** The value in the form in which it is compared. */
export function comparisonKey(type: ValueType | undefined, value: Scalar): Scalar {
  const form = type && comparedAs(type)
  if (form === undefined || typeof value !== 'string') return value
  return form === 'instant' ? toInstantKey(value) : toDecimalKey(value)
}

/**
 * Reads the value of a path; null if a step is missing or hidden by a guard.
 *
 * ```ts
 * const readName = scalarReader(book, toFieldPath('author.name'))
 * readName({ id: 'dune', author: 'herbert' }, source) // 'Frank Herbert'
 * ```
 *
 * @param form `comparable`, or `original` for text search
 * @throws TypeError if the value of the path cannot be compared
 */
export function scalarReader(
  model: ModelDescription,
  path: FieldPath,
  form: 'comparable' | 'original' = 'comparable',
): ItemReader<Scalar> {
  const resolved = resolveScalarPath(model, path)
  const { leaf } = resolved
  switch (leaf.kind) {
    case 'id':
      return followPath(model, resolved, (values) => values.id, null)
    case 'value': {
      const names = [leaf.field.name, ...leaf.memberPath]
      const type = form === 'comparable' ? leaf.type : undefined
      return followPath(
        model,
        resolved,
        (values) => comparisonKey(type, scalarOrNull(memberValue(values, names))),
        null,
      )
    }
    case 'toOne': {
      const isVisible = guardCheck(leaf.field.relatedModel, leaf.guard)
      return followPath(
        model,
        resolved,
        (values, source) => {
          const id = values[leaf.field.name]
          return typeof id === 'string' && isVisible(id, source) ? id : null
        },
        null,
      )
    }
  }
}

export function membersReader(
  model: ModelDescription,
  path: FieldPath,
): ItemReader<readonly Scalar[]> {
  const resolved = resolveManyPath(model, path)
  const { leaf } = resolved
  if (leaf.kind !== 'value') return followPath(model, resolved, relatedReader(leaf), [])
  const names = [leaf.field.name, ...leaf.memberPath]
  return followPath(model, resolved, (values) => scalarsIn(memberValue(values, names)), [])
}

/** Reads the ids of the related items that satisfy the guard of the relation. */
function relatedReader(leaf: ToManyLeaf | InverseLeaf): ItemReader<readonly Scalar[]> {
  if (leaf.kind === 'toMany') {
    const isVisible = guardCheck(leaf.field.relatedModel, leaf.guard)
    return (values, source) =>
      scalarsIn(memberValue(values, [leaf.field.name])).filter(
        (id) => typeof id === 'string' && isVisible(id, source),
      )
  }
  const guard = matcherOf(leaf.field.relatedModel, leaf.guard)
  return (values, source) =>
    source
      .itemsReferencing(leaf.field, values.id)
      .filter((related) => guard(related, source))
      .map((related) => related.id)
}

/** Reads from the last item of a path; returns `missing` where a guard or a relation ends it. */
function followPath<T>(
  start: ModelDescription,
  { guard, hops }: ResolvedPath<ScalarLeaf | ManyLeaf>,
  read: ItemReader<T>,
  missing: T,
): ItemReader<T> {
  const readFromStart = hops.reduceRight<ItemReader<T>>((readRelated, { field, guard }) => {
    const readGuarded = readWhere(field.relatedModel, guard, readRelated, missing)
    return (values, source) => {
      const id = values[field.name]
      const related = typeof id === 'string' ? source.get(field.relatedModel, id) : undefined
      return related ? readGuarded(related, source) : missing
    }
  }, read)
  return readWhere(start, guard, readFromStart, missing)
}

function readWhere<T>(
  model: ModelDescription,
  guard: Condition,
  read: ItemReader<T>,
  missing: T,
): ItemReader<T> {
  if (guard.kind === 'always') return read
  const matches = matcherOf(model, guard)
  return (values, source) => (matches(values, source) ? read(values, source) : missing)
}

/** Without a guard, an id is visible whether or not its item exists. */
function guardCheck(
  target: ModelDescription,
  guard: Condition,
): (id: string, source: ItemSource) => boolean {
  if (guard.kind === 'always') return () => true
  const matches = matcherOf(target, guard)
  return (id, source) => {
    const related = source.get(target, id)
    return related !== undefined && matches(related, source)
  }
}

/** Reads own members only, because a field may be called `constructor`. */
function memberValue(value: unknown, names: readonly string[]): unknown {
  let current = value
  for (const name of names) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name))
      return undefined
    current = (current as Record<string, unknown>)[name]
  }
  return current
}

/** Null for a value of another type, such as one from before the model changed. */
function scalarOrNull(value: unknown): Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : null
}

function scalarsIn(value: unknown): readonly Scalar[] {
  return Array.isArray(value) ? value.map(scalarOrNull) : []
}
