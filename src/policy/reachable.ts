import { oncePer } from '../cache/once-per.ts'
import type { ModelDescription } from '../model/description.ts'
import { isFilterable, isReadable, type ModelView, type Views } from '../model/model-view.ts'

/** The models whose items can be included with those of a model, by name: that model itself only where relations lead back to it. */
export const reachableFrom: (view: ModelView, views: Views) => readonly ModelView[] = oncePer((view, views) =>
  reach(view, views, isReadable),
)

/** The models whose items can be asked about by filters and sorts of a model, those that can be included with it among them. */
export const askableFrom: (view: ModelView, views: Views) => readonly ModelView[] = oncePer((view, views) =>
  reach(view, views, isFilterable),
)

function reach(view: ModelView, views: Views, leads: typeof isReadable): readonly ModelView[] {
  const found = new Set<ModelDescription>()
  const open: ModelView[] = [view]
  for (let next = open.pop(); next; next = open.pop()) {
    for (const { target } of next.model.relations.filter((relation) => leads(next!, relation))) {
      if (found.has(target)) continue
      found.add(target)
      open.push(views.of(target))
    }
  }
  return [...found].map((model) => views.of(model)).sort(byPlural)
}

/** Every model, in the order in which documents name them. */
export function allByPlural(views: Views): readonly ModelView[] {
  return [...views.all].sort(byPlural)
}

/** So many kinds of included items are written where they stand; more are written once, for all documents. */
export const writtenInPlace = 12

function byPlural(one: ModelView, other: ModelView): number {
  return one.model.plural < other.model.plural ? -1 : 1
}
