import type { GuardedField } from '../../access/field-guards.ts'
import { callerKeyOf } from '../../context/caller-or-address.ts'
import { type Context, contextAt } from '../../context/context.ts'
import type { Guards } from '../../context/guards.ts'
import type { ModelDescription, OwnedRelation } from '../../model/model-description.ts'
import type { ModelView } from '../../model/model-view.ts'
import { digestOf } from '../../query/change-position.ts'
import { andAlso, anyOf, negate } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'
import { RelatedDependencies } from './related-dependencies.ts'

/** A list of which a client reads the changes. */
export interface FollowedList {
  readonly model: ModelDescription
  /** Of the request for it. */
  readonly context: Context
  /** What an item in the list satisfies: access rules, hooks and the filter of the client. */
  readonly condition: Condition
  /** The fields that the caller does not see in every item. */
  readonly masks: readonly GuardedField[]
  /** The relations of which the caller sees only some items. */
  readonly links: readonly ResolvedLink[]
  /** Does code of the service make what is sent of an item and its related items? */
  readonly isMapped: boolean
  /** Changes of other items that move items in or out, or change what the caller sees of them. */
  readonly dependencies: RelatedDependencies
  readonly dependsOnTime: boolean
  /** Differs where other rules hold for the caller, whatever the time. */
  readonly rights: string
  /**
   * The items that are in the list, or whose fields the caller sees, at only one of the two times,
   * and such related items. None where rules do not depend on the time.
   */
  changedByTime(sinceMs: number): readonly ItemsByTime[]
  /** The same as `condition`, at another time. */
  conditionAt(timeMs: number): Condition
}

/** Items of a model that time moves. */
interface ItemsByTime {
  readonly model: ModelDescription
  readonly condition: Condition
}

/** A relation of which the caller sees only the items that satisfy the condition. */
interface ResolvedLink {
  readonly relation: OwnedRelation
  readonly condition: Condition
}

export interface FollowedParts {
  readonly view: ModelView
  readonly guards: Guards
  readonly context: Context
  /** What an item in the list satisfies for such a request. */
  conditionFor(context: Context): Condition
  /** The relations whose items decide what is sent of an item. */
  readonly resolved: readonly OwnedRelation[]
  /** Does code of the service make what is sent of an item and its related items? */
  readonly isMapped: boolean
}

/** @param condition that for the request itself */
export function followedList(parts: FollowedParts, condition: Condition): FollowedList {
  const { view, guards, context, resolved, isMapped } = parts
  const { model } = view
  const rules = rulesOf(parts, context, condition)
  const links = resolved.map((relation) => ({
    relation,
    condition: guards.readCondition(relation.relatedModel, context),
  }))
  const dependencies = new RelatedDependencies(model)
  dependencies.addCondition(condition)
  for (const [, ofMask] of rules.masks) dependencies.addCondition(ofMask)
  for (const link of links) {
    if (isMapped) dependencies.addWhole(link.relation)
    dependencies.addRead(link.relation, link.condition)
  }
  const timeless = timelessRules(parts)
  const dependsOnTime = timeless !== JSON.stringify(rules)
  const rulesAt = (timeMs: number): Rules => {
    const earlier = contextAt(context, new Date(timeMs))
    return rulesOf(parts, earlier, parts.conditionFor(earlier))
  }
  return {
    model,
    context,
    condition,
    masks: guards.fields.masksOf(model, context),
    links,
    isMapped,
    dependencies,
    dependsOnTime,
    rights: digestOf(timeless),
    conditionAt: (timeMs) => rulesAt(timeMs).condition,
    changedByTime: (sinceMs) => {
      if (!dependsOnTime || sinceMs === context.now.getTime()) return []
      const before = rulesAt(sinceMs)
      const moved = links.flatMap(({ relation, condition }, index) => {
        const earlier = before.links[index]![1]
        const isSame = JSON.stringify(earlier) === JSON.stringify(condition)
        return isSame
          ? []
          : { model: relation.relatedModel, condition: exclusive(condition, earlier) }
      })
      return [{ model, condition: differenceOf(rules, before) }, ...moved]
    },
  }
}

/** For whom and for what a position in the log is. */
export function bindingOf(modelName: string, filter: Condition, caller: unknown): string {
  return digestOf(`${modelName}\n${callerKeyOf(caller)}\n${JSON.stringify(filter)}`)
}

/** As in {@link FollowedList}. */
export function rightsOf(parts: FollowedParts): string {
  return digestOf(timelessRules(parts))
}

/** The rules as they would be at a time that is the same for all requests. */
function timelessRules(parts: FollowedParts): string {
  const context = contextAt(parts.context, new Date(0))
  return JSON.stringify(rulesOf(parts, context, parts.conditionFor(context)))
}

function rulesOf(
  { view, guards, resolved }: FollowedParts,
  context: Context,
  condition: Condition,
): Rules {
  return {
    condition,
    masks: guards.fields
      .masksOf(view.model, context)
      .map(({ name, condition }) => [name, condition]),
    links: resolved.map(({ relatedModel }) => [
      relatedModel.name,
      guards.readCondition(relatedModel, context),
    ]),
    hidden: [...view.hiddenNames],
  }
}

/** All that decides what a caller sees of a list, as data. */
interface Rules {
  readonly condition: Condition
  readonly masks: readonly (readonly [string, Condition])[]
  readonly links: readonly (readonly [string, Condition])[]
  readonly hidden: readonly string[]
}

function differenceOf(rules: Rules, before: Rules): Condition {
  const masksBefore = new Map(before.masks)
  const masks = rules.masks.map(([name, condition]) =>
    andAlso(rules.condition, exclusive(condition, masksBefore.get(name) ?? condition)),
  )
  return anyOf([exclusive(rules.condition, before.condition), ...masks])
}

function exclusive(one: Condition, other: Condition): Condition {
  return anyOf([andAlso(one, negate(other)), andAlso(other, negate(one))])
}
