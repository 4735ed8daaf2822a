import type { ModelView, Views } from '../../model/model-view.ts'
import type { Limits } from '../../rule/limits.ts'
import { fieldsParameter } from '../../rule/parameter/fields.ts'
import { filterParameter } from '../../rule/parameter/filter.ts'
import { includeParameter } from '../../rule/parameter/include.ts'
import { pageParameter } from '../../rule/parameter/page.ts'
import { sortParameter } from '../../rule/parameter/sort.ts'
import { withCountParameter } from '../../rule/parameter/with-count.ts'
import type { Parameter } from '../../rule/parameter.ts'

/** What may be asked of an answer that holds one item. */
export function itemParameters(view: ModelView, views: Views, limits: Limits): readonly Parameter[] {
  return [fieldsParameter(views), includeParameter(views, view, limits)]
}

/** What may be asked of a list. */
export function listParameters(view: ModelView, views: Views, limits: Limits): readonly Parameter[] {
  return [
    filterParameter(views, view, limits),
    sortParameter(views, view, limits),
    pageParameter(limits),
    ...itemParameters(view, views, limits),
    withCountParameter,
  ]
}
