import type { ModelDescription } from '../model/model-description.ts'
import type { Condition, OffsetPlan } from '../query/query-plan.ts'
import type { Context } from './context.ts'

/**
 * What a caller may see of each model, by that model's own middleware: every way to an item asks
 * here. Its hooks run in a context that is about the items in question: the identifier in the path
 * of a request is that of another.
 */
export interface Guards {
  /** Whether query hooks hide some of its items. */
  isGuarded(model: ModelDescription): boolean
  /** Whether hooks of either phase keep some callers from some of its items. */
  isRestricted(model: ModelDescription): boolean
  /** The request as one that asks for some items of the model. */
  readContext(model: ModelDescription, context: Context, about: 'list' | 'items'): Context
  /**
   * What an item has to satisfy to be seen by this request; `always` where nothing guards the
   * model.
   */
  readCondition(model: ModelDescription, context: Context): Condition
  /** A plan of such items, narrowed to those. */
  narrowPlan(model: ModelDescription, plan: OffsetPlan, context: Context): OffsetPlan
  /** What the item of this identifier has to satisfy to be changed by this request. */
  writeCondition(model: ModelDescription, context: Context, id: string): Condition
  /**
   * What it has to satisfy once this request has written it. Without an identifier: the one that
   * the request is about, which is new.
   */
  outcomeCondition(model: ModelDescription, context: Context, id?: string): Condition
}
