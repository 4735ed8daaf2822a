import type { ModelView, ModelViews } from '../model/model-view.ts'
import type { Contents } from '../rule/contents.ts'
import { groupSchema } from '../rule/parameter/aggregate-schemas.ts'
import type { QueryParameter } from '../rule/query-parameter.ts'
import type { ResponseShape } from '../rule/response-shape.ts'
import type { RouterLimits } from '../rule/router-limits.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { pageParametersSchema } from './page-parameters-schema.ts'

/** How a protocol forms the groups of a list. */
export interface GroupsFormat
  extends Pick<ResponseShape, 'headers' | 'alternatives' | 'fileExtension'> {
  /** The document, with the groups and their page. */
  readonly contents: Contents
  readonly queryParameters: readonly QueryParameter[]
}

/**
 * The schemas of the groups of a page, and of what is known about the page.
 *
 * ```ts
 * const { groups } = groupsProperties(views, view, limits)
 * const schema: JsonSchema = { type: 'object', properties: { groups }, required: ['groups'] }
 * ```
 */
export function groupsProperties(
  views: ModelViews,
  view: ModelView,
  limits: RouterLimits,
): { readonly groups: JsonSchema; readonly page: JsonSchema } {
  return {
    groups: { type: 'array', items: groupSchema(views, view, limits) },
    page: {
      type: 'object',
      properties: {
        total: {
          type: 'integer',
          minimum: 0,
          description: 'Number of groups on all pages, if the request has `withCount`',
        },
        parameters: pageParametersSchema,
      },
    },
  }
}
