import type { InverseField, ModelDescription } from '../model/model-description.ts'
import {
  allOf,
  always,
  andAlso,
  anyOf,
  idIsAnyOf,
  mapPaths,
  negate,
  never,
  relatesToAny,
} from '../query/conditions.ts'
import {
  allItemsPlan,
  type Condition,
  type FieldPath,
  type SearchCondition,
} from '../query/query-plan.ts'
import { singleSearches } from '../query/search-words.ts'
import type { StoredValues } from '../stored-item/stored-item.ts'
import { matcherOf } from './evaluation/evaluate.ts'
import type { ItemSource } from './evaluation/item-source.ts'
import { resolvePath } from './resolve-path.ts'
import type { StoreReader } from './store-reader.ts'

/** The items of a model that are read. */
type Reader = Pick<StoreReader, 'count' | 'list'>

/** An item that is not stored so. */
interface PastItem {
  readonly reader: Reader
  readonly model: ModelDescription
  readonly values: StoredValues
}

type WithPath = Exclude<Condition, { readonly kind: 'always' | 'never' | 'and' | 'or' | 'not' }>

/**
 * Does an item that is not stored so, such as a former version, satisfy the condition? What it
 * holds counts as it was, and related items as they are now: those that it relates to, and those
 * that relate to an item with its id.
 *
 * @throws TypeError with the path, if the model does not have a path of the condition
 */
export async function holdsForValues(
  reader: Reader,
  model: ModelDescription,
  values: StoredValues,
  condition: Condition,
): Promise<boolean> {
  const decided = await withoutRelated({ reader, model, values }, condition)
  return matcherOf(model, decided)(values, noRelatedItems)
}

/** The condition once its parts about related items are decided. */
async function withoutRelated(item: PastItem, condition: Condition): Promise<Condition> {
  const eachOf = async (conditions: readonly Condition[]) => {
    const decided: Condition[] = []
    for (const each of conditions) decided.push(await withoutRelated(item, each))
    return decided
  }
  switch (condition.kind) {
    case 'always':
    case 'never':
      return condition
    case 'and':
      return allOf(await eachOf(condition.conditions))
    case 'or':
      return anyOf(await eachOf(condition.conditions))
    case 'not':
      return negate(await withoutRelated(item, condition.condition))
    case 'search':
      if (isSearchOfItemAlone(item.model, condition)) return condition
      if (!isSingleSearch(condition)) return withoutRelated(item, singleSearches(condition))
      return (await holdsThroughRelations(item, condition)) ? always : never
    default:
      return isAboutItemAlone(item.model, condition)
        ? condition
        : (await holdsThroughRelations(item, condition))
          ? always
          : never
  }
}

function isAboutItemAlone(
  model: ModelDescription,
  condition: Exclude<WithPath, { readonly kind: 'search' }>,
): boolean {
  return condition.kind !== 'some' && isPathOfItemAlone(model, condition.path)
}

function isPathOfItemAlone(model: ModelDescription, path: FieldPath): boolean {
  const { hops, leaf } = resolvePath(model, path)
  return hops.length === 0 && leaf.kind !== 'inverse' && (path.guards ?? []).length === 0
}

function isSearchOfItemAlone(model: ModelDescription, { fields }: SearchCondition): boolean {
  return fields.every(({ path }) => isPathOfItemAlone(model, path))
}

/** Is it a search for one term in one field, which has one path as other conditions have? */
function isSingleSearch({ fields, terms: [term, ...others] }: SearchCondition): boolean {
  return fields.length === 1 && others.length === 0 && term?.isExcluded !== true
}

/** The path of a condition, or of the only field of a search. */
function pathOf(condition: WithPath): FieldPath {
  return condition.kind === 'search' ? condition.fields[0]!.path : condition.path
}

async function holdsThroughRelations(item: PastItem, condition: WithPath): Promise<boolean> {
  const { reader, model, values } = item
  const path = pathOf(condition)
  if (!(await holdsForValues(reader, model, values, guardsAt(path, 0))))
    return holdsForNothing(model, condition)
  const [name] = path.names
  const field = model.fieldsByName.get(name!)
  if (field?.kind === 'toOne' && path.names.length > 1) {
    const id = values[field.name]
    if (typeof id !== 'string') return holdsForNothing(model, condition)
    const { relatedModel } = field
    const rest = mapPaths(condition, withoutFirst)
    if ((await reader.count(relatedModel, andAlso(idIsAnyOf([id]), rest))) > 0) return true
    const exists = (await reader.count(relatedModel, idIsAnyOf([id]))) > 0
    return exists ? false : holdsForNothing(model, condition)
  }
  if (field?.kind === 'inverse') return holdsForInverse(item, field, condition)
  if (condition.kind !== 'some') {
    const visible = { ...values, ...(await visibleLinks(item, path)) }
    const alone = mapPaths(condition, ({ names }) => ({ names }))
    return matcherOf(model, alone)(visible, noRelatedItems)
  }
  if (field?.kind !== 'toMany') return false
  const ids = idsIn(values[field.name])
  const related = allOf([idIsAnyOf(ids), condition.condition, guardsAt(path, 1)])
  return ids.length > 0 && (await reader.count(field.relatedModel, related)) > 0
}

/** Items that relate to one with the same id. */
async function holdsForInverse(
  { reader, values }: PastItem,
  { inverseOf, relatedModel }: InverseField,
  condition: WithPath,
): Promise<boolean> {
  const relates = (which: Condition) =>
    reader.count(
      relatedModel,
      allOf([
        relatesToAny(inverseOf.name, inverseOf.kind, [values.id]),
        which,
        guardsAt(pathOf(condition), 1),
      ]),
    )
  if (condition.kind === 'some') return (await relates(condition.condition)) > 0
  if (condition.kind !== 'members') return false
  const isAny = condition.quantity === 'any'
  for (const id of condition.values)
    if ((await relates(idIsAnyOf([id as string]))) > 0 === isAny) return isAny
  return !isAny
}

/** The ids of the relation at the end of the path, without those that a guard hides. */
async function visibleLinks(
  { reader, model, values }: PastItem,
  path: FieldPath,
): Promise<Readonly<Record<string, unknown>>> {
  const guard = guardsAt(path, 1)
  const field = model.fieldsByName.get(path.names[0]!)
  if (guard.kind === 'always' || (field?.kind !== 'toOne' && field?.kind !== 'toMany')) return {}
  const ids = idsIn(values[field.name])
  const visible = new Set<string>()
  const plan = { ...allItemsPlan, condition: andAlso(idIsAnyOf(ids), guard) }
  for await (const batch of reader.list(field.relatedModel, plan))
    for (const { id } of batch) visible.add(id)
  const kept = ids.filter((id) => visible.has(id))
  return { [field.name]: field.kind === 'toOne' ? (kept[0] ?? null) : kept }
}

/** A path that ends early leads to null, or to no members. */
function holdsForNothing(start: ModelDescription, condition: WithPath): boolean {
  if (condition.kind === 'some') return false
  const { hops, model } = resolvePath(start, pathOf(condition))
  const alone = mapPaths(condition, ({ names }) => ({ names: names.slice(hops.length) }))
  return matcherOf(model, alone)({ id: null as never }, noRelatedItems)
}

function guardsAt({ guards = [] }: FieldPath, depth: number): Condition {
  return allOf(guards.filter((guard) => guard.depth === depth).map(({ condition }) => condition))
}

function withoutFirst({ names, guards = [] }: FieldPath): FieldPath {
  return {
    names: names.slice(1),
    guards: guards
      .filter(({ depth }) => depth > 0)
      .map(({ depth, condition }) => ({ depth: depth - 1, condition })),
  }
}

function idsIn(value: unknown): readonly string[] {
  return [value].flat().filter((id): id is string => typeof id === 'string')
}

const noRelatedItems: ItemSource = { get: () => undefined, itemsReferencing: () => [] }
