import type { ModelDescription } from '../../model/description.ts'
import { isInstant, type ValueType } from '../../model/value-type.ts'
import { instantKey } from '../../query/instant.ts'
import type { CompareOperator, Condition, FieldPath, Scalar, TextOperator } from '../../query/query-plan.ts'
import { areComparable, compareScalars } from '../compare.ts'
import { type ManyEnd, type ResolvedPath, resolveMany, resolveScalar, type ScalarEnd } from '../resolve-path.ts'
import type { StoredValues } from '../stored-item.ts'
import type { ItemSource } from './item-source.ts'
import { isLike } from './like.ts'

/** Reads something off an item; related items come from the source. */
export type Reading<T> = (values: StoredValues, source: ItemSource) => T

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
 * @throws TypeError naming a path that the model does not have, even when there is no item to look at.
 */
export function matcherOf(model: ModelDescription, condition: Condition): Reading<boolean> {
  switch (condition.kind) {
    case 'always':
      return () => true
    case 'never':
      return () => false
    case 'compare': {
      const read = scalarReader(model, condition.path)
      const value = keyOf(typeAt(model, condition.path), condition.value)
      return (values, source) => compares(read(values, source), condition.operator, value)
    }
    case 'oneOf': {
      const read = scalarReader(model, condition.path)
      const type = typeAt(model, condition.path)
      const wanted = new Set(condition.values.map((value) => keyOf(type, value)))
      return (values, source) => wanted.has(read(values, source))
    }
    case 'text': {
      const read = scalarReader(model, condition.path, 'written')
      return (values, source) => holdsText(read(values, source), condition.operator, condition.value)
    }
    case 'members': {
      const read = membersReader(model, condition.path)
      const { end } = resolveMany(model, condition.path)
      const type = end.kind === 'value' ? end.type.items : undefined
      const wanted = condition.values.map((value) => keyOf(type, value))
      return (values, source) => {
        const held = new Set(read(values, source).map((value) => keyOf(type, value)))
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

function typeAt(model: ModelDescription, path: FieldPath): ValueType | undefined {
  const { end } = resolveScalar(model, path)
  return end.kind === 'value' ? end.type : undefined
}

/** A value as it is compared. */
export function keyOf(type: ValueType | undefined, value: Scalar): Scalar {
  return type && isInstant(type) && typeof value === 'string' ? instantKey(value) : value
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
): Reading<Scalar> {
  const resolved = resolveScalar(model, path)
  const { end } = resolved
  switch (end.kind) {
    case 'id':
      return throughHops(resolved, (values) => values.id, null)
    case 'value': {
      const names = [end.field.name, ...end.members]
      const type = form === 'compared' ? end.type : undefined
      return throughHops(resolved, (values) => keyOf(type, scalarOrNull(memberAt(values, names))), null)
    }
    case 'toOne': {
      const isSeen = guardOn(end.field.target, end.guard)
      return throughHops(
        resolved,
        (values, source) => {
          const id = values[end.field.name]
          return typeof id === 'string' && isSeen(id, source) ? id : null
        },
        null,
      )
    }
  }
}

function membersReader(model: ModelDescription, path: FieldPath): Reading<readonly Scalar[]> {
  const resolved = resolveMany(model, path)
  const { end } = resolved
  switch (end.kind) {
    case 'value':
      return throughHops(resolved, (values) => scalarsIn(memberAt(values, [end.field.name, ...end.members])), [])
    case 'toMany': {
      const isSeen = guardOn(end.field.target, end.guard)
      return throughHops(
        resolved,
        (values, source) =>
          scalarsIn(memberAt(values, [end.field.name])).filter((id) => typeof id === 'string' && isSeen(id, source)),
        [],
      )
    }
    case 'inverse': {
      const guard = matcherOf(end.field.target, end.guard)
      return throughHops(
        resolved,
        (values, source) =>
          source
            .relating(end.field, values.id)
            .filter((related) => guard(related, source))
            .map((related) => related.id),
        [],
      )
    }
  }
}

function throughHops<T>({ hops }: ResolvedPath<ScalarEnd | ManyEnd>, read: Reading<T>, missing: T): Reading<T> {
  return hops.reduceRight<Reading<T>>((readOn, { field, guard }) => {
    const matches = matcherOf(field.target, guard)
    return (values, source) => {
      const id = values[field.name]
      const related = typeof id === 'string' ? source.get(field.target, id) : undefined
      return related && matches(related, source) ? readOn(related, source) : missing
    }
  }, read)
}

/** Without a guard the identifier is seen as it is held, whether or not its item exists. */
function guardOn(target: ModelDescription, guard: Condition): (id: string, source: ItemSource) => boolean {
  if (guard.kind === 'always') return () => true
  const matches = matcherOf(target, guard)
  return (id, source) => {
    const related = source.get(target, id)
    return related !== undefined && matches(related, source)
  }
}

function compares(held: Scalar, operator: CompareOperator, value: Scalar): boolean {
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

function holdsText(held: Scalar, operator: TextOperator, text: string): boolean {
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
function memberAt(value: unknown, names: readonly string[]): unknown {
  let current = value
  for (const name of names) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) return undefined
    current = (current as Record<string, unknown>)[name]
  }
  return current
}

/** An array where the model now says text (it changed, the item did not) reads as null. */
function scalarOrNull(value: unknown): Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
}

function scalarsIn(value: unknown): readonly Scalar[] {
  return Array.isArray(value) ? value.map(scalarOrNull) : []
}
