import {
  type Condition,
  type FieldDescription,
  type FieldPath,
  foldText,
  isRelation,
  type ModelDescription,
  type Position,
  type QueryPlan,
  type Scalar,
  type SearchCondition,
  type SearchTerm,
  type SortKey,
  type StoredValues,
} from '../../store/public.ts'
import type { World } from './harness.ts'

/**
 * The expected results of a store, computed from the definition of plans in the simplest way. It
 * shares no code with any store, so that both would have to make the same mistake.
 */
export function expectedPage(
  world: World,
  model: ModelDescription,
  plan: QueryPlan,
): { id: string; position: Position }[] {
  const positionOf = (item: StoredValues): Position => [
    ...plan.sort.map((key) =>
      'search' in key
        ? relevanceOf(world, model, item, key.search)
        : valueAt(world, model, item, key.path),
    ),
    item.id,
  ]
  const sorted = itemsOf(world, model)
    .filter((item) => isTrue(world, model, item, plan.condition))
    .map((item) => ({ id: item.id, position: positionOf(item) }))
    .sort((entry, other) => orderOf(plan.sort, entry.position, other.position))
  const { pageRange } = plan
  if (pageRange.kind === 'offset')
    return sorted.filter(
      (_, index) => index >= pageRange.offset && index < pageRange.offset + pageRange.limit,
    )
  const inside = sorted.filter(
    ({ position }) =>
      (pageRange.kind === 'before' ||
        orderOf(
          plan.sort,
          position,
          pageRange.kind === 'after' ? pageRange.position : pageRange.after,
        ) > 0) &&
      (pageRange.kind === 'after' ||
        orderOf(
          plan.sort,
          position,
          pageRange.kind === 'before' ? pageRange.position : pageRange.before,
        ) < 0),
  )
  return inside.filter((_, index) =>
    pageRange.kind === 'before'
      ? index >= inside.length - pageRange.limit
      : index < pageRange.limit,
  )
}

function itemsOf(world: World, model: ModelDescription): readonly StoredValues[] {
  return world.filter(([one]) => one === model).flatMap(([, items]) => items)
}

function relevanceOf(
  world: World,
  model: ModelDescription,
  item: StoredValues,
  { fields, terms }: SearchCondition,
): number {
  let sum = 0
  for (const term of terms) {
    const weights = fields.map(({ path, weight }) =>
      occursIn(valueAt(world, model, item, path), term) ? weight : 0,
    )
    if (!term.isExcluded) sum += Math.max(...weights)
  }
  return sum
}

/** Do the words of the term follow each other in the text? */
function occursIn(text: unknown, { words, ending }: SearchTerm): boolean {
  if (typeof text !== 'string') return false
  const searched = words.split(' ')
  const all = wordList(text)
  return all.some((_, start) =>
    searched.every((word, index) => {
      const found = all[start + index]
      const isOpen = ending === 'beginning' && index === searched.length - 1
      return isOpen ? found?.slice(0, word.length) === word : found === word
    }),
  )
}

/** The folded words of a text, character by character. */
function wordList(text: string): readonly string[] {
  const list = ['']
  for (const character of foldText(text)) {
    if (/[\p{L}\p{M}\p{N}]/u.test(character)) list[list.length - 1] += character
    else list.push('')
  }
  return list.filter((word) => word !== '')
}

/** Does the item satisfy the condition? */
export function isTrue(
  world: World,
  model: ModelDescription,
  item: StoredValues,
  condition: Condition,
): boolean {
  switch (condition.kind) {
    case 'always':
      return true
    case 'never':
      return false
    case 'and':
      return !condition.conditions.some((condition) => !isTrue(world, model, item, condition))
    case 'or':
      return condition.conditions.some((condition) => isTrue(world, model, item, condition))
    case 'not':
      return !isTrue(world, model, item, condition.condition)
    case 'oneOf': {
      const value = valueAt(world, model, item, condition.path)
      return condition.values.some((entry) => entry === value)
    }
    case 'members': {
      const values = membersAt(world, model, item, condition.path)
      const matches = condition.values.filter((value) => values.includes(value)).length
      return condition.quantity === 'any' ? matches > 0 : matches === condition.values.length
    }
    case 'some': {
      const { path, condition: related } = condition
      const guards = [...(path.guards ?? []), { depth: path.names.length, condition: related }]
      return membersAt(world, model, item, { ...path, guards }).length > 0
    }
    case 'search': {
      const texts = condition.fields.map(({ path }) => valueAt(world, model, item, path))
      return !condition.terms.some(
        (term) => texts.some((text) => occursIn(text, term)) === term.isExcluded,
      )
    }
    case 'text': {
      const value = valueAt(world, model, item, condition.path)
      if (typeof value !== 'string') return false
      const text = condition.value
      if (condition.operator === 'contains') return value.split(text).length > 1 || text === ''
      if (condition.operator === 'startsWith') return value.startsWith(text)
      if (condition.operator === 'endsWith') return value.endsWith(text)
      if (condition.operator === 'equalIgnoringCase') return foldText(value) === foldText(text)
      if (condition.operator === 'containsIgnoringCase')
        return foldText(value).split(foldText(text)).length > 1 || foldText(text) === ''
      if (condition.operator === 'startsWithIgnoringCase')
        return foldText(value).indexOf(foldText(text)) === 0
      return new RegExp(`^${[...text].map(asRegExp).join('')}$`, 'su').test(value)
    }
    case 'compare': {
      const value = valueAt(world, model, item, condition.path)
      const expectedText = condition.value
      if (condition.operator === 'equal') return value === expectedText
      if (condition.operator === 'notEqual') return value !== expectedText
      if (value !== null && expectedText !== null && typeof value !== typeof expectedText)
        return false
      const order = compare(value, expectedText)
      if (condition.operator === 'lessThan') return order === -1
      if (condition.operator === 'greaterThan') return order === 1
      return condition.operator === 'lessThanOrEqual' ? order !== 1 : order !== -1
    }
  }
}

function asRegExp(character: string): string {
  if (character === '%') return '.*'
  return character === '_' ? '.' : character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')
}

/**
 * The item and field of the last name in the path; undefined where a relation is null or guarded.
 */
function follow(world: World, model: ModelDescription, item: StoredValues, path: FieldPath) {
  if (!passes(world, model, item, path, 0)) return undefined
  let current = { model, item }
  for (let depth = 1; ; depth++) {
    const field = current.model.fieldsByName.get(path.names[depth - 1]!)
    if (field?.kind !== 'toOne' || depth === path.names.length) return { ...current, field, depth }
    const related = seen(world, field, current.item[field.name], path, depth)
    if (!related) return undefined
    current = { model: field.relatedModel, item: related }
  }
}

/** The related item, if it exists and satisfies the guards. */
function seen(
  world: World,
  field: FieldDescription,
  id: unknown,
  path: FieldPath,
  depth: number,
): StoredValues | undefined {
  if (!isRelation(field)) return undefined
  const related = itemsOf(world, field.relatedModel).find((entry) => entry.id === id)
  return related && passes(world, field.relatedModel, related, path, depth) ? related : undefined
}

/** Does the item at this depth of the path satisfy the guards there? */
function passes(
  world: World,
  model: ModelDescription,
  item: StoredValues,
  path: FieldPath,
  depth: number,
): boolean {
  return (path.guards ?? []).every(
    (guard) => guard.depth !== depth || isTrue(world, model, item, guard.condition),
  )
}

function valueAt(
  world: World,
  model: ModelDescription,
  start: StoredValues,
  path: FieldPath,
): Scalar {
  const target = follow(world, model, start, path)
  if (!target) return null
  const { item, field, depth } = target
  if (!field) return item.id
  const value = insideOf(item[field.name], path.names.slice(depth))
  if (field.kind !== 'toOne' || !isGuarded(path, depth)) return (value ?? null) as Scalar
  return seen(world, field, value, path, depth)?.id ?? null
}

function membersAt(
  world: World,
  model: ModelDescription,
  start: StoredValues,
  path: FieldPath,
): readonly Scalar[] {
  const target = follow(world, model, start, path)
  if (!target?.field) return []
  const { item, field, depth } = target
  const values = insideOf(item[field.name], path.names.slice(depth)) as readonly Scalar[] | null
  if (field.kind === 'value') return values ?? []
  if (field.kind === 'toMany') {
    return (values ?? []).filter(
      (id) => !isGuarded(path, depth) || seen(world, field, id, path, depth),
    )
  }
  if (field.kind !== 'inverse') return []
  const relating = itemsOf(world, field.relatedModel).filter((entry) =>
    [entry[field.inverseOf.name]].flat().includes(item.id),
  )
  return relating.map((entry) => entry.id).filter((id) => seen(world, field, id, path, depth))
}

/** A guard that is always satisfied needs no item. */
function isGuarded(path: FieldPath, depth: number): boolean {
  return (path.guards ?? []).some(
    (guard) => guard.depth === depth && guard.condition.kind !== 'always',
  )
}

function insideOf(value: unknown, members: readonly string[]): unknown {
  return (
    members.reduce<unknown>(
      (inside, name) => (inside as Record<string, unknown> | null | undefined)?.[name],
      value,
    ) ?? null
  )
}

function orderOf(sort: readonly SortKey[], one: Position, other: Position): number {
  for (let index = 0; index <= sort.length; index++) {
    const order = compare(one[index]!, other[index]!)
    // The id comes in the direction of the last key.
    const { direction } = sort[index] ?? sort.at(-1) ?? { direction: 'asc' }
    if (order !== 0) return direction === 'desc' ? -order : order
  }
  return 0
}

/** UTF-8 keeps the order of code points. */
function compare(one: Scalar, other: Scalar): number {
  if (one === other) return 0
  if (one === null || other === null) return one === null ? -1 : 1
  if (typeof one === 'string' && typeof other === 'string')
    return Buffer.compare(Buffer.from(one), Buffer.from(other))
  return one < other ? -1 : 1
}
