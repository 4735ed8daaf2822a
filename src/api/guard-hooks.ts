import type { GuardHooks } from '../middleware/guards.ts'
import { guardsOf, outcomeGuardsOf, requestHooks, writeGuardsOf } from '../middleware/hooks.ts'
import type { Middleware } from '../middleware/middleware.ts'
import type { NamedQueryHook } from '../middleware/named-hook.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { readHooks } from '../rule/operations.ts'
import type { MiddlewareByModel } from './middleware-by-model.ts'

/** The hooks of each model that guard its items. */
export function guardHooks(
  models: readonly ModelDescription[],
  middleware: MiddlewareByModel,
): GuardHooks {
  const byModel = (hooksIn: (middleware: readonly Middleware[]) => readonly NamedQueryHook[]) =>
    new Map(models.map((model) => [model, hooksIn(middleware.of(model))]))
  return {
    read: byModel(guardsOf),
    write: byModel(writeGuardsOf),
    created: byModel((own) => outcomeGuardsOf(own, 'created')),
    changed: byModel((own) => outcomeGuardsOf(own, 'changed')),
    checked: new Set(
      models.filter((model) => requestHooks(middleware.relatedOf(model), readHooks).length > 0),
    ),
  }
}
