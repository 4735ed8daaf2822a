import type { HiddenByModel } from '../access/field-variants.ts'
import { guardedChanges, guardsOf, outcomeGuardsOf, writeGuardsOf } from '../middleware/hooks.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { createModelViews, type ModelViews } from '../model/model-view.ts'
import { createModelView } from './create-model-view.ts'
import type { MiddlewareByModel } from './middleware-by-model.ts'
import type { Registration, RouterSettings } from './registration.ts'

/**
 * The models as the router shows them.
 * @param hidden what access rules keep from the callers
 */
export function createViews(
  registrations: ReadonlyMap<ModelDescription, Registration>,
  middleware: MiddlewareByModel,
  { basePath, requireMatch, documentPath }: RouterSettings,
  hidden: HiddenByModel,
): ModelViews {
  const views = [...registrations].map(([model, { mappers, operations }]) =>
    createModelView(
      model,
      mappers.map(({ options }) => options),
      operations,
      {
        basePath,
        isGuarded: guardsOf(middleware.of(model)).length > 0,
        hasWriteGuards:
          writeGuardsOf(middleware.of(model)).length > 0 ||
          middleware.of(model).some(({ query = {} }) => hasHooks(query)),
        guardedChanges: guardedChanges(middleware.of(model)),
        hasOutcomeGuards: (['created', 'changed'] as const).some(
          (outcome) => outcomeGuardsOf(middleware.of(model), outcome).length > 0,
        ),
        requiresIfMatch: requireMatch || model.requiresIfMatch,
        isForService: false,
      },
      hidden.get(model),
    ),
  )
  return createModelViews(views, documentPath)
}

function hasHooks(query: object): boolean {
  return Object.keys(query).length > 0
}
