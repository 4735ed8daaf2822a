import { resolvedRelations } from '../document/represent.ts'
import type { RouterServices } from '../document/router-services.ts'
import { isRelation } from '../model/is-relation.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { queryableModels } from '../policy/reachable-models.ts'
import { fieldPathsIn } from '../query/conditions.ts'
import type { FieldPath } from '../query/query-plan.ts'
import { operations } from '../rule/operations.ts'
import type { ModelRule } from '../rule/rule.ts'
import type { IncludeNode, Selection } from '../rule/selection.ts'
import type { ActionPayload, ItemPayload } from '../serializer/payload.ts'

type ModelServices = Pick<RouterServices, 'guards' | 'mappers' | 'views'>

/**
 * The models, beside its own, that every request by a rule reads from: those whose items it answers
 * with or is sent to through a relation; those that the items it sends lead to, where they are
 * looked up; those that it looks up before a write. The bare identifiers that an item holds are its
 * own, and lead nowhere.
 */
export function alwaysRelatedModels(
  parts: ModelServices,
  rule: ModelRule,
): ReadonlySet<ModelDescription> {
  const { view, relationTarget } = rule
  const reached = new Set<ModelDescription>()
  if (relationTarget) reached.add(view.model)
  if (
    [rule.response, ...rule.otherResponses].some(
      ({ content }) => content === 'item' || content === 'list',
    )
  )
    addResolved(parts, rule, view.model, reached)
  const written = (relationTarget ?? rule).view.model
  const { kind } = rule.request
  // What an item holds that its caller may not see is told apart before it is written.
  if (kind === 'item' || kind === 'linkage')
    addTargets(
      rule,
      written.ownedRelations.filter(({ relatedModel }) => parts.guards.isGuarded(relatedModel)),
      reached,
    )
  // An action gets the item with all that it relates to.
  if (rule.action) addTargets(rule, written.ownedRelations, reached)
  return reached
}

/** Are its hooks asked about the one item in its path, those of `getItem` among them? */
export function isAboutItem({ operation }: ModelRule): boolean {
  return operations[operation].scope === 'item'
}

/**
 * What is looked up for relations, for linkage or for the service's own mappers and actions, was
 * not asked for. Of other models the hooks run nevertheless, for what they find out may be what
 * query hooks go by; those of its own model ran already.
 */
function addTargets(
  rule: ModelRule,
  relations: Iterable<{ readonly relatedModel: ModelDescription }>,
  reached: Set<ModelDescription>,
): void {
  const own = isAboutItem(rule) ? (rule.relationTarget ?? rule).view.model : undefined
  for (const { relatedModel } of relations) if (relatedModel !== own) reached.add(relatedModel)
}

function addResolved(
  parts: ModelServices,
  rule: ModelRule,
  model: ModelDescription,
  reached: Set<ModelDescription>,
): void {
  addTargets(rule, resolvedRelations(parts, model), reached)
}

/**
 * Those that a request by the rule reads from or writes to by what its parameters and its body
 * name.
 */
export function requestedModels(
  parts: ModelServices,
  rule: ModelRule,
  selection: Selection,
  sent: ItemPayload | ActionPayload | undefined,
): ReadonlySet<ModelDescription> {
  const reached = new Set<ModelDescription>()
  const { model } = rule.view
  addFiltered(parts, model, selection, reached)
  if (selection.include) addIncluded(parts, rule, selection.include, reached)
  if (sent && 'relations' in sent)
    addPayload((rule.relationTarget ?? rule).view.model, sent, reached)
  return reached
}

/** All that requests by the rule could ever reach. */
export function possiblyRelatedModels(
  parts: ModelServices,
  rule: ModelRule,
): ReadonlySet<ModelDescription> {
  const reached = new Set(alwaysRelatedModels(parts, rule))
  const families = new Set(rule.parameters.flatMap((one) => one.baseNames))
  if (['include', 'filter', 'sort'].some((family) => families.has(family))) {
    for (const { model } of queryableModels(rule.view, parts.views)) {
      reached.add(model)
      for (const { relatedModel } of resolvedRelations(parts, model)) reached.add(relatedModel)
    }
  }
  const { kind } = rule.request
  if (kind === 'item')
    for (const { relatedModel: target } of rule.view.model.relations) reached.add(target)
  return reached
}

type Filtering = Pick<Selection, 'condition' | 'sort'>

function addFiltered(
  parts: ModelServices,
  model: ModelDescription,
  { condition, sort }: Filtering,
  reached: Set<ModelDescription>,
): void {
  if (condition.kind !== 'always')
    for (const path of fieldPathsIn(condition)) addPath(parts, model, path, reached)
  for (const { path } of sort) addPath(parts, model, path, reached)
}

/**
 * A path that ends with an identifier which the item holds itself asks nothing of the other model,
 * unless that hides some of its items.
 */
function addPath(
  { guards }: ModelServices,
  start: ModelDescription,
  { names }: FieldPath,
  reached: Set<ModelDescription>,
): void {
  let model = start
  for (const [index, name] of names.entries()) {
    const field = model.fieldsByName.get(name)
    if (!field || !isRelation(field)) return
    model = field.relatedModel
    if (index < names.length - 1 || field.kind === 'inverse' || guards.isGuarded(model))
      reached.add(model)
  }
}

function addIncluded(
  parts: ModelServices,
  rule: ModelRule,
  tree: readonly IncludeNode[],
  reached: Set<ModelDescription>,
): void {
  for (const { relation, selection, children } of tree) {
    reached.add(relation.relatedModel)
    addResolved(parts, rule, relation.relatedModel, reached)
    if (selection) addFiltered(parts, relation.relatedModel, selection, reached)
    addIncluded(parts, rule, children, reached)
  }
}

/**
 * To clear a relation that the item holds itself needs no look at what it led to; to clear an
 * inverse one changes that.
 */
function addPayload(
  model: ModelDescription,
  sent: ItemPayload,
  reached: Set<ModelDescription>,
): void {
  for (const [name, relation] of [...sent.relations, ...(sent.readOnlyRelations ?? [])]) {
    const field = model.fieldsByName.get(name)
    if (!field || !isRelation(field)) continue
    const namesSome =
      relation.kind === 'one' || (relation.kind === 'many' && relation.ids.length > 0)
    if (namesSome || field.kind === 'inverse') reached.add(field.relatedModel)
  }
}
