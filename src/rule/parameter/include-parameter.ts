import { memoizeBy } from '../../cache/memoize-by.ts'
import { problem } from '../../error/problem.ts'
import type { RelationField } from '../../model/model-description.ts'
import type { ModelView, ModelViews } from '../../model/model-view.ts'
import { acceptParameter, type QueryParameter, refuseParameter } from '../query-parameter.ts'
import type { RouterLimits } from '../router-limits.ts'
import { describeInclude } from './describe-include.ts'
import { describeIncludedSelections } from './describe-included-selections.ts'
import {
  addIncludePath,
  canReachMany,
  type IncludeRoot,
  type IncludeTree,
  toIncludeNodes,
} from './include-tree.ts'
import {
  includedBaseNames,
  includedSelectionErrors,
  readIncludedSelections,
} from './included-selections.ts'
import { withoutBrackets } from './parameter-statements.ts'

/**
 * `include=author.books,genres`: related items, and for to-many relations a selection of them:
 * `pageIncluded[author.books][size]=5`, `sortIncluded[author.books]=-price`,
 * `filterIncluded[genres][name]=Horror`.
 *
 * ```ts
 * const itemParameters = [fieldsParameter(views), includeParameter(views, view, limits)]
 * ```
 *
 * @param onlyRelation the relation that all paths start with, if the response is about it
 */
export function includeParameter(
  views: ModelViews,
  view: ModelView,
  limits: RouterLimits,
  onlyRelation?: RelationField,
): QueryParameter {
  return onlyRelation
    ? makeParameter(view, views, limits, onlyRelation)
    : sharedParameter(view, views, limits)
}

/** Shared by all operations that respond with items of the model. */
const sharedParameter = memoizeBy((view: ModelView, views: ModelViews, limits: RouterLimits) =>
  makeParameter(view, views, limits, undefined),
)

function makeParameter(
  view: ModelView,
  views: ModelViews,
  limits: RouterLimits,
  onlyRelation: RelationField | undefined,
): QueryParameter {
  const root: IncludeRoot = { view, onlyRelation }
  return {
    baseNames: ['include', ...includedBaseNames],
    describe: () => [
      ...describeInclude(views, root, limits),
      ...describeIncludedSelections(views, root, limits),
    ],
    errors: [
      'invalid-include',
      'limit-exceeded',
      ...(canReachMany(views, root) ? includedSelectionErrors : []),
    ],
    read: (entries) => {
      const tree: IncludeTree = new Map()
      const paths = entries.filter(({ baseName }) => baseName === 'include')
      const problems = [
        ...paths.flatMap(({ path, key, value }) => {
          if (path.length === 0) return addIncludePaths(tree, views, root, value, limits)
          return [withoutBrackets(key)]
        }),
        ...readIncludedSelections(
          tree,
          views,
          root,
          entries.filter(({ baseName }) => baseName !== 'include'),
          limits,
        ),
      ]
      return problems.length > 0
        ? refuseParameter(problems)
        : acceptParameter({ include: toIncludeNodes(tree) })
    },
  }
}

function addIncludePaths(
  tree: IncludeTree,
  views: ModelViews,
  root: IncludeRoot,
  value: string,
  limits: RouterLimits,
) {
  const paths = value === '' ? [] : value.split(',')
  if (paths.length <= limits.maxIncludePaths)
    return paths.flatMap((path) => addIncludePath(tree, views, root, path, limits))
  const detail = `'include' must have at most ${limits.maxIncludePaths} paths.`
  return [
    problem('limit-exceeded', detail, { parameter: 'include' }, { limit: limits.maxIncludePaths }),
  ]
}
