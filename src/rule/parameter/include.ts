import { oncePer } from '../../cache/once-per.ts'
import { problem } from '../../error/problem.ts'
import type { RelationField } from '../../model/description.ts'
import type { ModelView, Views } from '../../model/model-view.ts'
import type { Limits } from '../limits.ts'
import { type Parameter, read, refused } from '../parameter.ts'
import { documentedInclude } from './include-document.ts'
import { type GrowingLevel, grow, nodes, type Root, reachesMany } from './include-tree.ts'
import { readWindows, windowErrors, windowFamilies } from './included-windows.ts'
import { documentedWindows } from './included-windows-document.ts'

/**
 * `include=author.books,genres`: the related items too, and theirs; and which of them, where a relation leads to many:
 * `pageIncluded[author.books][size]=5`, `sortIncluded[author.books]=-price`, `filterIncluded[genres][name]=Horror`.
 * @param first the one relation that paths begin with, where an answer is about that alone
 */
export function includeParameter(views: Views, view: ModelView, limits: Limits, first?: RelationField): Parameter {
  return first ? makeParameter(view, views, limits, first) : anyFirst(view, views, limits)
}

/** The same for every operation that answers with items of the model. */
const anyFirst = oncePer((view: ModelView, views: Views, limits: Limits) =>
  makeParameter(view, views, limits, undefined),
)

function makeParameter(view: ModelView, views: Views, limits: Limits, first: RelationField | undefined): Parameter {
  const root: Root = { view, first }
  return {
    families: ['include', ...windowFamilies],
    documented: () => [...documentedInclude(views, root, limits), ...documentedWindows(views, root, limits)],
    errors: ['invalid-include', 'limit-exceeded', ...(reachesMany(views, root) ? windowErrors : [])],
    read: (entries) => {
      const tree: GrowingLevel = new Map()
      const paths = entries.filter(({ family }) => family === 'include')
      const problems = [
        ...paths.flatMap(({ path, key, value }) => {
          if (path.length === 0) return growAll(tree, views, root, value, limits)
          return [problem('unknown-parameter', 'Inclusion is written include=…, without brackets.', { parameter: key })]
        }),
        ...readWindows(
          tree,
          views,
          root,
          entries.filter(({ family }) => family !== 'include'),
          limits,
        ),
      ]
      return problems.length > 0 ? refused(problems) : read({ include: nodes(tree) })
    },
  }
}

function growAll(tree: GrowingLevel, views: Views, root: Root, value: string, limits: Limits) {
  const paths = value === '' ? [] : value.split(',')
  if (paths.length <= limits.includePaths) return paths.flatMap((path) => grow(tree, views, root, path, limits))
  const detail = `At most ${limits.includePaths} paths may be included.`
  return [problem('limit-exceeded', detail, { parameter: 'include' }, { limit: limits.includePaths })]
}
