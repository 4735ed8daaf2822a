import type { ModelDescription, RelationField } from '../model/model-description.ts'
import { always, never } from '../query/conditions.ts'
import type { Condition } from '../query/query-plan.ts'
import type { AccessContext } from './access-context.ts'
import type { AccessDecision } from './access-decision.ts'
import {
  conditionAfter,
  conditionBefore,
  type HeldBefore,
  itemCondition,
} from './evaluate-access.ts'
import type { FieldDecisions, ModelAccess } from './model-access.ts'

/** A field that a caller sees, or may set, in some items only. */
export interface GuardedField {
  readonly name: string
  /** What these items satisfy. */
  readonly condition: Condition
  readonly decision: AccessDecision
}

/** What callers may see and set of single fields. */
export interface FieldGuards {
  /** Is no field guarded? */
  readonly isEmpty: boolean
  /** The items in which the caller sees the field; `always` where the field has no rule. */
  readCondition(model: ModelDescription, name: string, context: AccessContext): Condition
  /**
   * The related items whose link the caller sees: that of an inverse relation stands in the related
   * item, where a rule may hide it.
   */
  linkCondition(relation: RelationField, context: AccessContext): Condition
  /** The rule of who may set the field; undefined where it has none. */
  writeDecision(model: ModelDescription, name: string): AccessDecision | undefined
  /** The items in which the caller may set the field. */
  writeCondition(model: ModelDescription, name: string, context: AccessContext): Condition
  /** The fields that the caller cannot set in every item. */
  writeRulesOf(model: ModelDescription, context: AccessContext): readonly GuardedField[]
  /** The fields that the caller does not see in every item. */
  masksOf(model: ModelDescription, context: AccessContext): readonly GuardedField[]
  /** Do rules keep some callers from fields of the model? */
  hasMasks(model: ModelDescription): boolean
}

/** For code of the service, and for routers without rules about fields. */
export const noFieldGuards: FieldGuards = Object.freeze({
  isEmpty: true,
  readCondition: () => always,
  linkCondition: () => always,
  writeDecision: () => undefined,
  writeCondition: () => always,
  writeRulesOf: () => [],
  masksOf: () => [],
  hasMasks: () => false,
})

/** @param accesses those of models without rules about fields may be left out */
export function fieldGuards(accesses: Iterable<ModelAccess>): FieldGuards {
  const byModel = new Map<ModelDescription, readonly FieldDecisions[]>()
  for (const { model, fields } of accesses) if (fields.length > 0) byModel.set(model, fields)
  if (byModel.size === 0) return noFieldGuards
  const decisionOf = (model: ModelDescription, name: string) =>
    byModel.get(model)?.find(({ field }) => field.name === name)
  return Object.freeze({
    isEmpty: false,
    readCondition: (model: ModelDescription, name: string, context: AccessContext) =>
      conditionOf(decisionOf(model, name)?.read, model, context),
    linkCondition: (relation: RelationField, context: AccessContext) =>
      relation.kind === 'inverse'
        ? conditionOf(
            decisionOf(relation.relatedModel, relation.inverseOf.name)?.read,
            relation.relatedModel,
            context,
          )
        : always,
    writeDecision: (model: ModelDescription, name: string) => decisionOf(model, name)?.write,
    writeCondition: (model: ModelDescription, name: string, context: AccessContext) =>
      conditionOf(decisionOf(model, name)?.write, model, context),
    writeRulesOf: (model: ModelDescription, context: AccessContext) =>
      guardedFields(byModel.get(model), 'write', context, model),
    masksOf: (model: ModelDescription, context: AccessContext) =>
      guardedFields(byModel.get(model), 'read', context, model),
    hasMasks: (model: ModelDescription) =>
      (byModel.get(model) ?? []).some(({ read }) => read.kind !== 'always'),
  })
}

function guardedFields(
  fields: readonly FieldDecisions[] | undefined,
  rule: 'read' | 'write',
  context: AccessContext,
  model: ModelDescription,
): readonly GuardedField[] {
  return (fields ?? []).flatMap((decisions) => {
    const condition = conditionOf(decisions[rule], model, context)
    const decision = decisions[rule]
    return condition.kind === 'always' && decision.kind !== 'change'
      ? []
      : [{ name: decisions.field.name, condition, decision }]
  })
}

/**
 * The items of the model for which a rule holds, or may hold after some change. A request needs the
 * condition of a rule several times; it is built the first time.
 */
export function conditionOf(
  decision: AccessDecision | undefined,
  model: ModelDescription,
  { caller, now }: AccessContext,
): Condition {
  if (!decision || decision.kind === 'always') return always
  if (decision.kind === 'never') return never
  const last = lastConditions.get(decision)
  if (last && last.model === model && last.caller === caller && last.now === now)
    return last.condition
  const condition =
    decision.kind === 'change'
      ? conditionBefore(decision.expression, model, { caller, now })
      : itemCondition(decision.expression, model, { caller, now })
  lastConditions.set(decision, { model, caller, now, condition })
  return condition
}

interface DecidedCondition extends AccessContext {
  readonly model: ModelDescription
  readonly condition: Condition
}

/** The last condition of each rule. Each request has a `now` of its own, which tells them apart. */
const lastConditions = new WeakMap<AccessDecision, DecidedCondition>()

/** What a changed item must satisfy for a rule to hold. */
export function outcomeOf(
  decision: AccessDecision,
  model: ModelDescription,
  context: AccessContext,
  heldBefore: HeldBefore,
): Condition {
  return decision.kind === 'change'
    ? conditionAfter(decision.expression, model, context, heldBefore)
    : conditionOf(decision, model, context)
}
