import type { ModelDescription } from '../../model/model-description.ts'
import { isInstant, type ValueType } from '../../model/value-type.ts'
import { areComparable, compareScalars } from '../../query/compare.ts'
import { toInstantKey } from '../../query/instant.ts'
import type {
  CompareOperator,
  Condition,
  FieldPath,
  Scalar,
  TextOperator,
} from '../../query/query-plan.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import {
  type ManyLeaf,
  type ResolvedPath,
  resolveManyPath,
  resolveScalarPath,
  type ScalarLeaf,
} from '../resolve-path.ts'
import type { ItemSource } from './item-source.ts'
import { isLike } from './like.ts'

/** Reads something off an item; related items come from the source. */
export type ItemReader<T> = (values: StoredValues, source: ItemSource) => T

/**
 * Does the item satisfy the condition? What this says is what every store's answer must equal.
 *
 * ```ts
 * satisfies(book, hasId('b-1'), { id: 'b-1', title: 'Dune' }, source) // true
 * ```
 */
export function satisfies(
  model: ModelDescription,
  condition: Condition,
  values: StoredValues,
  source: ItemSource,
): boolean {
  return matcherOf(model, condition)(values, source)
}

/**
 * The condition as a function, for many items of one model.
 * @throws TypeError naming a path that the model does not have, even when there is no item to look
 * at.
 */
export function matcherOf(model: ModelDescription, condition: Condition): ItemReader<boolean> {
  switch (condition.kind) {
    case 'always':
      return () => true
    case 'never':
      return () => false
    case 'compare': {
      const read = scalarReader(model, condition.path)
      const value = comparisonKey(scalarTypeOf(model, condition.path), condition.value)
      return (values, source) => matchesComparison(read(values, source), condition.operator, value)
    }
    case 'oneOf': {
      const read = scalarReader(model, condition.path)
      const type = scalarTypeOf(model, condition.path)
      const wanted = new Set(condition.values.map((value) => comparisonKey(type, value)))
      return (values, source) => wanted.has(read(values, source))
    }
    case 'text': {
      const read = scalarReader(model, condition.path, 'written')
      return (values, source) =>
        matchesText(read(values, source), condition.operator, condition.value)
    }
    case 'members': {
      const read = membersReader(model, condition.path)
      const { leaf } = resolveManyPath(model, condition.path)
      const type = leaf.kind === 'value' ? leaf.type.items : undefined
      const wanted = condition.values.map((value) => comparisonKey(type, value))
      return (values, source) => {
        const held = new Set(read(values, source).map((value) => comparisonKey(type, value)))
        return condition.quantity === 'any'
          ? wanted.some((value) => held.has(value))
          : wanted.every((value) => held.has(value))
      }
    }
    case 'and': {
      const parts = condition.conditions.map((one) => matcherOf(model, one))
      return (values, source) => parts.every((part) => part(values, source))
    }
    case 'or': {
      const parts = condition.conditions.map((one) => matcherOf(model, one))
      return (values, source) => parts.some((part) => part(values, source))
    }
    case 'not': {
      const part = matcherOf(model, condition.condition)
      return (values, source) => !part(values, source)
    }
  }
}

function scalarTypeOf(model: ModelDescription, path: FieldPath): ValueType | undefined {
  const { leaf } = resolveScalarPath(model, path)
  return leaf.kind === 'value' ? leaf.type : undefined
}

/** A value as it is compared. */
export function comparisonKey(type: ValueType | undefined, value: Scalar): Scalar {
  return type && isInstant(type) && typeof value === 'string' ? toInstantKey(value) : value
}

/**
 * Reads what a path leads to; null where a step is missing or hidden by a guard.
 * @param form as it is compared, or as it is written, to be searched as text
 * @throws TypeError when the path leads to nothing that can be compared.
 */
export function scalarReader(
  model: ModelDescription,
  path: FieldPath,
  form: 'compared' | 'written' = 'compared',
): ItemReader<Scalar> {
  const resolved = resolveScalarPath(model, path)
  const { leaf } = resolved
  switch (leaf.kind) {
    case 'id':
      return followHops(resolved, (values) => values.id, null)
    case 'value': {
      const names = [leaf.field.name, ...leaf.memberPath]
      const type = form === 'compared' ? leaf.type : undefined
      return followHops(
        resolved,
        (values) => comparisonKey(type, scalarOrNull(memberValue(values, names))),
        null,
      )
    }
    case 'toOne': {
      const isSeen = guardCheck(leaf.field.relatedModel, leaf.guard)
      return followHops(
        resolved,
        (values, source) => {
          const id = values[leaf.field.name]
          return typeof id === 'string' && isSeen(id, source) ? id : null
        },
        null,
      )
    }
  }
}

function membersReader(model: ModelDescription, path: FieldPath): ItemReader<readonly Scalar[]> {
  const resolved = resolveManyPath(model, path)
  const { leaf } = resolved
  switch (leaf.kind) {
    case 'value':
      return followHops(
        resolved,
        (values) => scalarsIn(memberValue(values, [leaf.field.name, ...leaf.memberPath])),
        [],
      )
    case 'toMany': {
      const isSeen = guardCheck(leaf.field.relatedModel, leaf.guard)
      return followHops(
        resolved,
        (values, source) =>
          scalarsIn(memberValue(values, [leaf.field.name])).filter(
            (id) => typeof id === 'string' && isSeen(id, source),
          ),
        [],
      )
    }
    case 'inverse': {
      const guard = matcherOf(leaf.field.relatedModel, leaf.guard)
      return followHops(
        resolved,
        (values, source) =>
          source
            .itemsReferencing(leaf.field, values.id)
            .filter((related) => guard(related, source))
            .map((related) => related.id),
        [],
      )
    }
  }
}

function followHops<T>(
  { hops }: ResolvedPath<ScalarLeaf | ManyLeaf>,
  read: ItemReader<T>,
  missing: T,
): ItemReader<T> {
  return hops.reduceRight<ItemReader<T>>((readOn, { field, guard }) => {
    const matches = matcherOf(field.relatedModel, guard)
    return (values, source) => {
      const id = values[field.name]
      const related = typeof id === 'string' ? source.get(field.relatedModel, id) : undefined
      return related && matches(related, source) ? readOn(related, source) : missing
    }
  }, read)
}

/** Without a guard the identifier is seen as it is held, whether or not its item exists. */
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

function matchesComparison(held: Scalar, operator: CompareOperator, value: Scalar): boolean {
  if (operator === 'equal') return held === value
  if (operator === 'notEqual') return held !== value
  if (!areComparable(held, value)) return false
  const order = compareScalars(held, value)
  switch (operator) {
    case 'greaterThan':
      return order > 0
    case 'greaterThanOrEqual':
      return order >= 0
    case 'lessThan':
      return order < 0
    case 'lessThanOrEqual':
      return order <= 0
  }
}

function matchesText(held: Scalar, operator: TextOperator, text: string): boolean {
  if (typeof held !== 'string') return false
  switch (operator) {
    case 'contains':
      return held.includes(text)
    case 'startsWith':
      return held.startsWith(text)
    case 'endsWith':
      return held.endsWith(text)
    case 'like':
      return isLike(held, text)
  }
}

/** Own members only: a field may be called `constructor`. */
function memberValue(value: unknown, names: readonly string[]): unknown {
  let current = value
  for (const name of names) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name))
      return undefined
    current = (current as Record<string, unknown>)[name]
  }
  return current
}

/** An array where the model now says text (it changed, the item did not) reads as null. */
function scalarOrNull(value: unknown): Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : null
}

function scalarsIn(value: unknown): readonly Scalar[] {
  return Array.isArray(value) ? value.map(scalarOrNull) : []
}
