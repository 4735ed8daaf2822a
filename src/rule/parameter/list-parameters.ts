import { oncePer } from '../../cache/once-per.ts'
import type { ModelView, Views } from '../../model/model-view.ts'
import type { Limits } from '../limits.ts'
import type { Parameter } from '../parameter.ts'
import { filterParameter } from './filter.ts'
import { pageParameter } from './page.ts'
import { sortParameter } from './sort.ts'
import { withCountParameter } from './with-count.ts'

/** By what a list is narrowed, sorted and cut into pages. The same for every rule that answers with a list of the model. */
export const narrowing: (view: ModelView, views: Views, limits: Limits) => readonly Parameter[] = oncePer(
  (view: ModelView, views: Views, limits: Limits) => [
    filterParameter(views, view, limits),
    sortParameter(views, view, limits),
    pageParameter(limits),
    withCountParameter,
  ],
)
