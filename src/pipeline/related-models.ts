import { memoizeBy } from '../cache/memoize-by.ts'
import { resolvedRelations } from '../document/represent.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { ModelView } from '../model/model-view.ts'
import { isRelation } from '../model/relation-kinds.ts'
import { queryableModels } from '../policy/reachable-models.ts'
import { fieldPathsIn } from '../query/conditions.ts'
import type { FieldPath } from '../query/query-plan.ts'
import { sortPathsIn } from '../query/sort-keys.ts'
import { operations } from '../rule/operations.ts'
import { type PolicyRule, pathView, relationTargetOf } from '../rule/rule.ts'
import type { IncludeNode, Selection } from '../rule/selection.ts'
import type { ItemPayload, Payload } from '../serializer/payload.ts'
import type { RouterServices } from './router-services.ts'

type ModelServices = Pick<RouterServices, 'guards' | 'mappers' | 'views'>

/**
 * The other models that every request of a rule reads: those behind a relation of the path, those
 * that items in the response lead to, where they are read, and those that are read before a write.
 * Reading the ids that an item holds reaches no other model.
 */
export function alwaysRelatedModels(
  services: ModelServices,
  rule: PolicyRule,
): ReadonlySet<ModelDescription> {
  const { view, target } = rule
  const models = new Set<ModelDescription>()
  if (relationTargetOf(rule)) models.add(view.model)
  if (
    [rule.response, ...rule.otherResponses].some(
      ({ content }) => content === 'item' || content === 'list' || content === 'changes',
    )
  )
    addResolved(services, rule, view.model, models)
  const { ownedRelations } = pathView(rule).model
  const { kind } = rule.request
  // Ids of hidden items are separated before a write.
  if (kind === 'item' || kind === 'linkage')
    addTargets(
      rule,
      ownedRelations.filter(({ relatedModel }) => services.guards.isGuarded(relatedModel)),
      models,
    )
  // An action gets the item with its related items.
  if (target.kind === 'action') addTargets(rule, ownedRelations, models)
  return models
}

/** Whether the rule's hooks decide about the one item in its path, those of `getItem` included. */
export function isAboutItem({ operation }: PolicyRule): boolean {
  return operations[operation].scope === 'item'
}

/**
 * Reads of related items for linkage, mappers and actions are no requests for these items. The
 * hooks of other models run nevertheless, because their query hooks may depend on the result; those
 * of the own model have run already.
 */
function addTargets(
  rule: PolicyRule,
  relations: Iterable<{ readonly relatedModel: ModelDescription }>,
  models: Set<ModelDescription>,
): void {
  const ownModel = isAboutItem(rule) ? pathView(rule).model : undefined
  for (const { relatedModel } of relations) if (relatedModel !== ownModel) models.add(relatedModel)
}

function addResolved(
  services: ModelServices,
  rule: PolicyRule,
  model: ModelDescription,
  models: Set<ModelDescription>,
): void {
  addTargets(rule, resolvedRelations(services, model), models)
}

/** The models that the parameters and the body of a request name. */
export function requestedModels(
  services: ModelServices,
  rule: PolicyRule,
  selection: Selection,
  payload: Payload | undefined,
): ReadonlySet<ModelDescription> {
  const models = new Set<ModelDescription>()
  const { model } = rule.view
  addFiltered(services, model, selection, models)
  addSummarized(services, model, selection, models)
  if (selection.include) addIncluded(services, rule, selection.include, models)
  if (payload?.kind === 'item') addPayload(pathView(rule).model, payload, models)
  return models
}

/** All models that requests of the rule can reach. */
export function possiblyRelatedModels(
  services: ModelServices,
  rule: PolicyRule,
): ReadonlySet<ModelDescription> {
  const models = new Set(alwaysRelatedModels(services, rule))
  const parameterPrefixes = new Set(rule.parameters.flatMap((parameter) => parameter.baseNames))
  if (['include', 'filter', 'search', 'sort'].some((prefix) => parameterPrefixes.has(prefix)))
    for (const model of queriedModels(services)(rule.view)) models.add(model)
  const { kind } = rule.request
  if (kind === 'item')
    for (const { relatedModel: target } of rule.view.model.relations) models.add(target)
  return models
}

/**
 * The models that parameters can name, and those that their items in a response lead to. A model
 * has many rules. Two groups of callers may share a view, and not what guards its items.
 */
const queriedModels = memoizeBy((services: ModelServices) =>
  memoizeBy((view: ModelView): ReadonlySet<ModelDescription> => {
    const models = new Set<ModelDescription>()
    for (const { model } of queryableModels(view, services.views)) {
      models.add(model)
      for (const { relatedModel } of resolvedRelations(services, model)) models.add(relatedModel)
    }
    return models
  }),
)

type Filtering = Pick<Selection, 'condition' | 'sort'>

function addFiltered(
  services: ModelServices,
  model: ModelDescription,
  { condition, sort }: Filtering,
  models: Set<ModelDescription>,
): void {
  if (condition.kind !== 'always')
    for (const path of fieldPathsIn(condition)) addPath(services, model, path, models)
  for (const path of sort.flatMap(sortPathsIn)) addPath(services, model, path, models)
}

/** What all items of a list add up to, and what they are grouped by. */
function addSummarized(
  services: ModelServices,
  model: ModelDescription,
  { aggregates, facets, groups }: Selection,
  models: Set<ModelDescription>,
): void {
  for (const part of [
    ...aggregates,
    ...facets,
    ...(groups?.aggregates ?? []),
    ...(groups?.keys ?? []),
  ])
    if ('path' in part) addPath(services, model, part.path, models)
}

/**
 * A path that ends with an id that the item holds reads nothing of the other model, unless that
 * model hides items.
 */
function addPath(
  { guards }: ModelServices,
  start: ModelDescription,
  { names }: FieldPath,
  models: Set<ModelDescription>,
): void {
  let model = start
  for (const [index, name] of names.entries()) {
    const field = model.fieldsByName.get(name)
    if (!field || !isRelation(field)) return
    model = field.relatedModel
    if (index < names.length - 1 || field.kind === 'inverse' || guards.isGuarded(model))
      models.add(model)
  }
}

function addIncluded(
  services: ModelServices,
  rule: PolicyRule,
  tree: readonly IncludeNode[],
  models: Set<ModelDescription>,
): void {
  for (const { relation, selection, children } of tree) {
    models.add(relation.relatedModel)
    addResolved(services, rule, relation.relatedModel, models)
    if (selection) addFiltered(services, relation.relatedModel, selection, models)
    addIncluded(services, rule, children, models)
  }
}

/**
 * Clearing a relation that the item holds reads no related item; clearing an inverse relation
 * changes them.
 */
function addPayload(
  model: ModelDescription,
  payload: ItemPayload,
  models: Set<ModelDescription>,
): void {
  for (const [name, relation] of [...payload.relations, ...(payload.readOnlyRelations ?? [])]) {
    const field = model.fieldsByName.get(name)
    if (!field || !isRelation(field)) continue
    const hasIds = relation.kind === 'one' || (relation.kind === 'many' && relation.ids.length > 0)
    if (hasIds || field.kind === 'inverse') models.add(field.relatedModel)
  }
}
