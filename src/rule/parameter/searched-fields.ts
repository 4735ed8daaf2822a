import { isFilterable, type ModelView, type ModelViews } from '../../model/model-view.ts'
import { isRelation } from '../../model/relation-kinds.ts'
import type { SearchedField } from '../../query/query-plan.ts'

/** A text that clients search, with the name that they know. */
export interface ShownField {
  readonly field: SearchedField
  readonly name: string
}

/** The searched texts that responses show: what a mapper hides cannot be found out by searching. */
export function shownFields(views: ModelViews, start: ModelView): readonly ShownField[] {
  return start.model.searched.flatMap((field) => {
    const wires: string[] = []
    let view = start
    for (const [index, name] of field.path.names.entries()) {
      const step = view.model.fieldsByName.get(name)
      if (!step || !isFilterable(view, step)) return []
      wires.push(step.wireName)
      if (!isRelation(step)) {
        wires.push(...field.path.names.slice(index + 1))
        break
      }
      if (views.closedModels.has(step.relatedModel)) return []
      view = views.of(step.relatedModel)
    }
    return [{ field, name: wires.join('.') }]
  })
}

/** Do the lists of a model have the parameter `search`? */
export function isSearched(views: ModelViews, view: ModelView): boolean {
  return shownFields(views, view).length > 0
}
