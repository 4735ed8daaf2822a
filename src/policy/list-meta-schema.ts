import type { ModelView, ModelViews } from '../model/model-view.ts'
import { toPascalCase } from '../model/naming.ts'
import { summaryProperties } from '../rule/parameter/aggregate-schemas.ts'
import { highlightsSchema } from '../rule/parameter/highlight-schemas.ts'
import { isSearched } from '../rule/parameter/searched-fields.ts'
import { component, type JsonSchema } from '../schema/json-schema.ts'

/** `meta` of a list, of which the policy describes the page. */
export function listMetaSchema(page: JsonSchema): JsonSchema {
  return component('ListMeta', 'service', () => ({
    type: 'object',
    description: 'Information about the list',
    properties: { page },
  }))
}

/**
 * The same for each model.
 * @param shared for models that declare nothing to add up, and nothing that is searched
 */
export function listMetaSchemas(
  page: JsonSchema,
  shared: JsonSchema,
): (view: ModelView, views: ModelViews) => JsonSchema {
  return (view, views) =>
    view.model.aggregated.size === 0 && !isSearched(views, view)
      ? shared
      : component(`${toPascalCase(view.model.name)}ListMeta`, 'part', () => ({
          type: 'object',
          description: 'Information about the list',
          properties: {
            page,
            ...summaryProperties(views, view),
            ...(isSearched(views, view) && { highlights: highlightsSchema }),
          },
        }))
}
