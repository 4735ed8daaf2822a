import type { AccessContext } from '../access/access-context.ts'
import type { AccessDecision } from '../access/access-decision.ts'
import { conditionOf } from '../access/field-guards.ts'
import { accessOf } from '../middleware/access-checks.ts'
import { guardsOf } from '../middleware/hooks.ts'
import type { Middleware } from '../middleware/middleware.ts'
import { narrowsNothing } from '../middleware/narrowing.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { ModelView, ModelViews } from '../model/model-view.ts'
import type { RouterAccess } from './access-by-model.ts'

/** The items and fields that a caller sees always, though rules hide them from other callers. */
export interface CallerVisibility {
  /** The same for callers who see the same. */
  readonly key: string
  /** Does the caller see what the views say? */
  readonly isEmpty: boolean
  /** What is different in the view of a model: no item or field is hidden that the caller sees. */
  adapt(view: ModelView): Pick<ModelView, 'isGuarded' | 'maskedNames' | 'absentNames'>
}

export type VisibilityOf = (context: AccessContext) => CallerVisibility

/** A rule that hides an item of the model, or a field of it. */
interface HidingRule {
  readonly model: ModelDescription
  readonly decision: AccessDecision
  /** The wire name of the field; undefined for the item. */
  readonly name: string | undefined
}

/** What hooks hide is unknown before a request, so only access rules count. */
export function callerVisibility(
  { all }: ModelViews,
  { accesses }: Pick<RouterAccess, 'accesses'>,
  middlewareOf: (model: ModelDescription) => readonly Middleware[],
): VisibilityOf {
  const rules = all.flatMap(({ model, isGuarded, maskedNames }): HidingRule[] => {
    const access = accesses.get(model)
    if (!access) return []
    const hooks = middlewareOf(model).filter((middleware) => !accessOf(middleware))
    const isGuardedByRules = isGuarded && narrowsNothing(guardsOf(hooks))
    return [
      ...(isGuardedByRules ? [{ model, decision: access.read, name: undefined }] : []),
      ...access.fields
        .filter(({ field }) => maskedNames.has(field.wireName))
        .map(({ field, read }) => ({ model, decision: read, name: field.wireName })),
    ]
  })
  const hasAbsent = all.some(({ absentNames }) => absentNames.size > 0)
  return (context) => {
    const hides = ({ decision, model }: HidingRule) =>
      conditionOf(decision, model, context).kind !== 'always'
    const hiding = new Set(rules.filter(hides))
    const open = rules.filter((rule) => !hiding.has(rule))
    return {
      key: rules.flatMap((rule, index) => (hiding.has(rule) ? [] : [index])).join(),
      isEmpty: open.length === 0 && !hasAbsent,
      // What does not exist for this caller is not in its views at all.
      adapt: ({ model, isGuarded, maskedNames }) => {
        const names = open.filter((rule) => rule.model === model).map(({ name }) => name)
        return {
          isGuarded: isGuarded && !names.includes(undefined),
          maskedNames: new Set([...maskedNames].filter((name) => !names.includes(name))),
          absentNames: new Set(),
        }
      },
    }
  }
}
