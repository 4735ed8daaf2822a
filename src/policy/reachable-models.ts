import { memoizeBy } from '../cache/memoize-by.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { isFilterable, isReadable, type ModelView, type ModelViews } from '../model/model-view.ts'

/**
 * The models that `include` can reach from a model, sorted by plural; the model itself only if
 * relations lead back to it.
 */
export const includableModels: (view: ModelView, views: ModelViews) => readonly ModelView[] =
  memoizeBy((view, views) => collectModels(view, views, isReadable))

/** The models that filters and sorts of a model can reach, with those that `include` can reach. */
export const queryableModels: (view: ModelView, views: ModelViews) => readonly ModelView[] =
  memoizeBy((view, views) => collectModels(view, views, isFilterable))

function collectModels(
  view: ModelView,
  views: ModelViews,
  canFollow: typeof isReadable,
): readonly ModelView[] {
  const models = new Set<ModelDescription>()
  const pending: ModelView[] = [view]
  for (let next = pending.pop(); next; next = pending.pop()) {
    for (const { relatedModel } of next.model.relations.filter((relation) =>
      canFollow(next!, relation),
    )) {
      if (models.has(relatedModel) || views.closedModels.has(relatedModel)) continue
      models.add(relatedModel)
      pending.push(views.of(relatedModel))
    }
  }
  return [...models].map((model) => views.of(model)).sort(comparePlurals)
}

/** Every model that is open to the callers, sorted by plural, as documents list them. */
export function viewsByPlural(views: ModelViews): readonly ModelView[] {
  return views.all.filter(({ model }) => !views.closedModels.has(model)).sort(comparePlurals)
}

/** A document schema with more included models than this refers to one shared schema of all. */
export const maxInlineModels = 12

function comparePlurals(one: ModelView, other: ModelView): number {
  return one.model.plural < other.model.plural ? -1 : 1
}
