import type { AccessDecision } from '../access/access-decision.ts'
import type { FieldGuards } from '../access/field-guards.ts'
import type { ModelAccess } from '../access/model-access.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { Condition, OffsetPlan } from '../query/query-plan.ts'
import type { Context } from './context.ts'

/**
 * What a caller may see and change of each model, by its access rules and hooks. Both run in a
 * context whose id is that of the item in question.
 */
export interface Guards {
  /** By the access rules of fields. */
  readonly fields: FieldGuards
  /** The access rules of a model; undefined where it has none. */
  accessOf(model: ModelDescription): ModelAccess | undefined
  /** Whether access rules or query hooks hide some items of the model. */
  isGuarded(model: ModelDescription): boolean
  /** Whether access rules or hooks of either phase keep some callers from some items. */
  isRestricted(model: ModelDescription): boolean
  /** The context of a request that reads items of the model. */
  readContext(model: ModelDescription, context: Context, about: 'list' | 'items'): Context
  /**
   * What an item must satisfy for this request to see it; `always` where nothing guards the model.
   */
  readCondition(model: ModelDescription, context: Context): Condition
  /** What the item with this id must satisfy for this request to get it at its own address. */
  itemCondition(model: ModelDescription, context: Context, id: string): Condition
  /** The plan, narrowed to the items that the request may see. */
  narrowPlan(model: ModelDescription, plan: OffsetPlan, context: Context): OffsetPlan
  /** What the item with this id must satisfy for this request to change it. */
  writeCondition(model: ModelDescription, context: Context, id: string): Condition
  /**
   * The access rule that compares the item with this id before and after a change by this request;
   * undefined where no rule does. It is no part of `outcomeCondition`.
   */
  changeDecision(model: ModelDescription, context: Context, id: string): AccessDecision | undefined
  /**
   * What the item must satisfy after this request has written it. Without an id, it is the new item
   * that the request creates.
   */
  outcomeCondition(model: ModelDescription, context: Context, id?: string): Condition
}
