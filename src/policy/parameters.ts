import type { ModelView, Views } from '../model/model-view.ts'
import type { Limits } from '../rule/limits.ts'
import { fieldsParameter } from '../rule/parameter/fields.ts'
import { includeParameter } from '../rule/parameter/include.ts'
import { narrowing } from '../rule/parameter/list-parameters.ts'
import type { Parameter } from '../rule/parameter.ts'

/** What may be asked of an answer that holds one item: the same under every policy. */
export function itemParameters(view: ModelView, views: Views, limits: Limits): readonly Parameter[] {
  return [fieldsParameter(views), includeParameter(views, view, limits)]
}

/** What may be asked of a list. */
export function listParameters(view: ModelView, views: Views, limits: Limits): readonly Parameter[] {
  return [...narrowing(view, views, limits), ...itemParameters(view, views, limits)]
}
