import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { unknownName } from '../../error/unknown-name.ts'
import type { QueryParameterEntry } from '../../http/query-string.ts'
import type { ModelViews } from '../../model/model-view.ts'
import { allOf } from '../../query/conditions.ts'
import type { SortKey } from '../../query/query-plan.ts'
import type { RouterLimits } from '../router-limits.ts'
import type { IncludedSelection } from '../selection.ts'
import { readFilter } from './filter-parameter.ts'
import { createFilterNodeCounter, type FilterNodeCounter, FilterReader } from './filter-reader.ts'
import {
  findIncludeNode,
  type IncludeRoot,
  type IncludeTree,
  type IncludeTreeNode,
  includePathsIn,
} from './include-tree.ts'
import { unknownParameterStatement } from './parameter-statements.ts'
import { readPageSize } from './read-page-size.ts'
import { readSort } from './sort-parameter.ts'

/** They apply `filter`, `sort` and `page` to an included relation; its path is in the brackets. */
export const includedBaseNames = ['filterIncluded', 'sortIncluded', 'pageIncluded'] as const

/** Their errors, except those of `include`. */
export const includedSelectionErrors = [
  'unknown-field',
  'unknown-operator',
  'invalid-value',
  'invalid-filter',
  'invalid-sort',
  'invalid-page',
  'page-too-large',
] as const

/** Adds the selections to the nodes of the tree. */
export function readIncludedSelections(
  tree: IncludeTree,
  views: ModelViews,
  root: IncludeRoot,
  entries: readonly QueryParameterEntry[],
  limits: RouterLimits,
): readonly Problem[] {
  const problems: Problem[] = []
  const nodeCounter = createFilterNodeCounter('The filters of included relations')
  const byNode = new Map<IncludeTreeNode, QueryParameterEntry[]>()
  for (const entry of entries) {
    const node = findSelectedNode(tree, root, entry)
    if ('code' in node) problems.push(node)
    else byNode.set(node, [...(byNode.get(node) ?? []), { ...entry, path: entry.path.slice(1) }])
  }
  for (const [node, entries] of byNode) {
    node.selection = readIncludedSelection(node, views, entries, { limits, nodeCounter, problems })
  }
  return problems
}

/** The node that the first bracket names. */
function findSelectedNode(
  tree: IncludeTree,
  { onlyRelation }: IncludeRoot,
  { baseName, key, path }: QueryParameterEntry,
): IncludeTreeNode | Problem {
  const source = { parameter: key }
  const [dotted] = path
  if (dotted === undefined)
    return problem(
      'unknown-parameter',
      `Write the path of the included relation in brackets, as in ${baseName}[author.books].`,
      source,
    )
  const node = findIncludeNode(tree, dotted)
  if (!node) {
    const statement = `'${truncate(dotted)}' is not included`
    const paths = includePathsIn(tree)
    const detail =
      paths.length > 0
        ? unknownName(statement, dotted, paths, { format: truncatePath })
        : `${statement}. Add it to 'include'.`
    return problem('invalid-include', detail, source)
  }
  if (node.relation === onlyRelation && tree.get(dotted) === node) {
    const detail = `'${dotted}' is not included: it is the list itself. Use 'filter', 'sort' and 'page'.`
    return problem('invalid-include', detail, source)
  }
  if (node.relation.kind !== 'toOne') return node
  const detail = `'${truncate(dotted)}' is a to-one relation; only to-many relations can be filtered, sorted and paged.`
  return problem('invalid-include', detail, source)
}

function truncatePath(path: string): string {
  return truncate(path)
}

interface SelectionReading {
  readonly limits: RouterLimits
  readonly nodeCounter: FilterNodeCounter
  readonly problems: Problem[]
}

function readIncludedSelection(
  { relation }: IncludeTreeNode,
  views: ModelViews,
  entries: readonly QueryParameterEntry[],
  { limits, nodeCounter, problems }: SelectionReading,
): IncludedSelection {
  const view = views.of(relation.relatedModel)
  const filters = new FilterReader(views, view, limits, nodeCounter)
  const entriesOf = (baseName: (typeof includedBaseNames)[number]) =>
    entries.filter((entry) => entry.baseName === baseName)
  const condition = allOf(
    entriesOf('filterIncluded').map((entry) =>
      readFilter(filters, entry, limits, 'filterIncluded[…]'),
    ),
  )
  const sort = entriesOf('sortIncluded').flatMap(({ key, path, value }): readonly SortKey[] => {
    const result = path.length > 0 ? undefined : readSort(views, view, value, limits, key)
    if (result?.kind === 'accepted') return result.keys
    problems.push(
      ...(result?.problems ?? [misplacedParameter(key, 'sortIncluded[author.books]=-price')]),
    )
    return []
  })
  const [size] = entriesOf('pageIncluded').map(({ key, path, value }): number | undefined => {
    if (path.length === 1 && path[0] === 'size') return readPageSize(key, value, limits, problems)
    problems.push(misplacedParameter(key, 'pageIncluded[author.books][size]=5'))
    return undefined
  })
  problems.push(...filters.problems)
  return { condition, sort, size }
}

function misplacedParameter(key: string, example: string): Problem {
  return problem(
    'unknown-parameter',
    `${unknownParameterStatement(key)}. Write it as in ${example}.`,
    { parameter: key },
  )
}
