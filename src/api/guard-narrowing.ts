import type { GuardNarrowing } from '../middleware/guards.ts'
import { guardsOf, outcomeGuardsOf, readRequestHooks, writeGuardsOf } from '../middleware/hooks.ts'
import type { Middleware } from '../middleware/middleware.ts'
import type { Narrowing } from '../middleware/narrowing.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { MiddlewareByModel } from './middleware-by-model.ts'

/** What guards the items of each model. */
export function guardNarrowing(
  models: readonly ModelDescription[],
  middleware: MiddlewareByModel,
): GuardNarrowing {
  const byModel = (narrowingOf: (middleware: readonly Middleware[]) => Narrowing) =>
    new Map(models.map((model) => [model, narrowingOf(middleware.of(model))]))
  return {
    read: byModel(guardsOf),
    write: byModel(writeGuardsOf),
    created: byModel((own) => outcomeGuardsOf(own, 'created')),
    changed: byModel((own) => outcomeGuardsOf(own, 'changed')),
    checked: new Set(
      models.filter((model) => readRequestHooks(middleware.relatedOf(model)).length > 0),
    ),
  }
}
