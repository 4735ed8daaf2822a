import type { ModelView, ModelViews } from '../../model/model-view.ts'
import type { DocumentedParameter } from '../query-parameter.ts'
import type { RouterLimits } from '../router-limits.ts'

/** The models of a router whose changes clients can follow. */
export interface FollowedModels {
  readonly views: ModelViews
  readonly followed: readonly ModelView[]
}

/** One parameter for the filters of all lists: one for each field would be a long page. */
export function describeFeed(
  { views, followed }: FollowedModels,
  limits: RouterLimits,
): readonly DocumentedParameter[] {
  const plurals = followed
    .filter(({ model }) => !views.closedModels.has(model))
    .map(({ model }) => model.plural)
    .sort()
  return [
    {
      name: 'models',
      description: 'The lists whose changes to read, separated by commas.',
      schema: {
        type: 'array',
        items: { type: 'string', enum: plurals },
        minItems: 1,
        maxItems: limits.maxModelsPerFeed,
        uniqueItems: true,
      },
      isRequired: true,
      style: 'commaSeparated',
      componentName: undefined,
    },
    {
      name: 'filter',
      description:
        'The filter of each list, by the name of the model: an expression as in `filter[books]=lt(price,10)`, or comparisons as in `filter[books][price][lt]=10`.',
      schema: {
        type: 'object',
        properties: Object.fromEntries(plurals.map((plural) => [plural, { type: 'string' }])),
        additionalProperties: false,
      },
      style: 'deepObject',
      componentName: undefined,
    },
  ]
}
