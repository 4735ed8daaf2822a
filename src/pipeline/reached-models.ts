import type { ModelDescription } from '../model/description.ts'
import { isRelation } from '../model/is-relation.ts'
import { askableFrom } from '../policy/reachable.ts'
import { pathsIn } from '../query/conditions.ts'
import type { FieldPath } from '../query/query-plan.ts'
import { operations } from '../rule/operations.ts'
import type { ModelRule } from '../rule/rule.ts'
import type { IncludeNode, Selection } from '../rule/selection.ts'
import type { SentInput, SentItem } from '../serializer/sent.ts'
import type { Parts } from './parts.ts'
import { lookedUp } from './represent.ts'

type Seen = Pick<Parts, 'guards' | 'mappers' | 'views'>

/**
 * The models, beside its own, that every request by a rule reads from: those whose items it answers with or is sent to through a relation; those
 * that the items it sends lead to, where they are looked up; those that it looks up before a write. The bare identifiers that an item holds are
 * its own, and lead nowhere.
 */
export function alwaysReached(parts: Seen, rule: ModelRule): ReadonlySet<ModelDescription> {
  const { view, through } = rule
  const reached = new Set<ModelDescription>()
  if (through) reached.add(view.model)
  if ([rule.response, ...rule.otherResponses].some(({ content }) => content === 'item' || content === 'list'))
    addLookedUp(parts, rule, view.model, reached)
  const written = (through ?? rule).view.model
  const { kind } = rule.request
  // What an item holds that its caller may not see is told apart before it is written.
  if (kind === 'item' || kind === 'linkage')
    addTargets(
      rule,
      written.owned.filter(({ target }) => parts.guards.isGuarded(target)),
      reached,
    )
  // An action gets the item with all that it relates to.
  if (rule.action) addTargets(rule, written.owned, reached)
  return reached
}

/** Are its hooks asked about the one item in its path, those of `getItem` among them? */
export function isAboutItem({ operation }: ModelRule): boolean {
  return operations[operation].scope === 'item'
}

/**
 * What is looked up for relations, for linkage or for the service's own mappers and actions, was not asked for. Of other models the hooks run
 * nevertheless, for what they find out may be what query hooks go by; those of its own model ran already.
 */
function addTargets(
  rule: ModelRule,
  relations: Iterable<{ readonly target: ModelDescription }>,
  reached: Set<ModelDescription>,
): void {
  const own = isAboutItem(rule) ? (rule.through ?? rule).view.model : undefined
  for (const { target } of relations) if (target !== own) reached.add(target)
}

function addLookedUp(parts: Seen, rule: ModelRule, model: ModelDescription, reached: Set<ModelDescription>): void {
  addTargets(rule, lookedUp(parts, model), reached)
}

/** Those that a request by the rule reads from or writes to by what its parameters and its body name. */
export function reachedBy(
  parts: Seen,
  rule: ModelRule,
  selection: Selection,
  sent: SentItem | SentInput | undefined,
): ReadonlySet<ModelDescription> {
  const reached = new Set<ModelDescription>()
  const { model } = rule.view
  addNarrowing(parts, model, selection, reached)
  if (selection.include) addIncluded(parts, rule, selection.include, reached)
  if (sent && 'relations' in sent) addSent((rule.through ?? rule).view.model, sent, reached)
  return reached
}

/** All that requests by the rule could ever reach. */
export function everReached(parts: Seen, rule: ModelRule): ReadonlySet<ModelDescription> {
  const reached = new Set(alwaysReached(parts, rule))
  const families = new Set(rule.parameters.flatMap((one) => one.families))
  if (['include', 'filter', 'sort'].some((family) => families.has(family))) {
    for (const { model } of askableFrom(rule.view, parts.views)) {
      reached.add(model)
      for (const { target } of lookedUp(parts, model)) reached.add(target)
    }
  }
  const { kind } = rule.request
  if (kind === 'item') for (const { target } of rule.view.model.relations) reached.add(target)
  return reached
}

type Narrowing = Pick<Selection, 'condition' | 'sort'>

function addNarrowing(
  parts: Seen,
  model: ModelDescription,
  { condition, sort }: Narrowing,
  reached: Set<ModelDescription>,
): void {
  if (condition.kind !== 'always') for (const path of pathsIn(condition)) addPath(parts, model, path, reached)
  for (const { path } of sort) addPath(parts, model, path, reached)
}

/** A path that ends with an identifier which the item holds itself asks nothing of the other model, unless that hides some of its items. */
function addPath(
  { guards }: Seen,
  start: ModelDescription,
  { names }: FieldPath,
  reached: Set<ModelDescription>,
): void {
  let model = start
  for (const [index, name] of names.entries()) {
    const field = model.byName.get(name)
    if (!field || !isRelation(field)) return
    model = field.target
    if (index < names.length - 1 || field.kind === 'inverse' || guards.isGuarded(model)) reached.add(model)
  }
}

function addIncluded(parts: Seen, rule: ModelRule, tree: readonly IncludeNode[], reached: Set<ModelDescription>): void {
  for (const { relation, window, children } of tree) {
    reached.add(relation.target)
    addLookedUp(parts, rule, relation.target, reached)
    if (window) addNarrowing(parts, relation.target, window, reached)
    addIncluded(parts, rule, children, reached)
  }
}

/** To clear a relation that the item holds itself needs no look at what it led to; to clear an inverse one changes that. */
function addSent(model: ModelDescription, sent: SentItem, reached: Set<ModelDescription>): void {
  for (const [name, relation] of [...sent.relations, ...(sent.unwritten ?? [])]) {
    const field = model.byName.get(name)
    if (!field || !isRelation(field)) continue
    const namesSome = relation.kind === 'one' || (relation.kind === 'many' && relation.ids.length > 0)
    if (namesSome || field.kind === 'inverse') reached.add(field.target)
  }
}
