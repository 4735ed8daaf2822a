import type { ModelDescription } from '../model/description.ts'
import type { Condition, SlicePlan } from '../query/query-plan.ts'
import type { Context } from './context.ts'

/** What a caller may see of each model, by that model's own middleware: every way to an item asks here. */
export interface Guards {
  isGuarded(model: ModelDescription): boolean
  /** What an item has to satisfy to be seen by this request; `always` where nothing guards the model. */
  condition(model: ModelDescription, context: Context): Condition
  /** A plan of such items, narrowed to those. */
  narrowed(model: ModelDescription, plan: SlicePlan, context: Context): SlicePlan
  /** What it has to satisfy to be changed by this request. */
  writeCondition(model: ModelDescription, context: Context): Condition
  /** What it has to satisfy once this request has written it. */
  outcome(model: ModelDescription, context: Context): Condition
}
