import { memoizeBy } from '../cache/memoize-by.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { isFilterable, isReadable, type ModelView, type ModelViews } from '../model/model-view.ts'

/**
 * The models whose items can be included with those of a model, by name: that model itself only
 * where relations lead back to it.
 */
export const includableModels: (view: ModelView, views: ModelViews) => readonly ModelView[] =
  memoizeBy((view, views) => collectModels(view, views, isReadable))

/**
 * The models whose items can be asked about by filters and sorts of a model, those that can be
 * included with it among them.
 */
export const queryableModels: (view: ModelView, views: ModelViews) => readonly ModelView[] =
  memoizeBy((view, views) => collectModels(view, views, isFilterable))

function collectModels(
  view: ModelView,
  views: ModelViews,
  leads: typeof isReadable,
): readonly ModelView[] {
  const found = new Set<ModelDescription>()
  const open: ModelView[] = [view]
  for (let next = open.pop(); next; next = open.pop()) {
    for (const { relatedModel } of next.model.relations.filter((relation) =>
      leads(next!, relation),
    )) {
      if (found.has(relatedModel)) continue
      found.add(relatedModel)
      open.push(views.of(relatedModel))
    }
  }
  return [...found].map((model) => views.of(model)).sort(comparePlurals)
}

/** Every model, in the order in which documents name them. */
export function viewsByPlural(views: ModelViews): readonly ModelView[] {
  return [...views.all].sort(comparePlurals)
}

/**
 * So many kinds of included items are written where they stand; more are written once, for all
 * documents.
 */
export const maxInlineModels = 12

function comparePlurals(one: ModelView, other: ModelView): number {
  return one.model.plural < other.model.plural ? -1 : 1
}
