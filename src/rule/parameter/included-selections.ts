import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
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
import { readPageSize } from './page-parameter.ts'
import { joinNames } from './resolve-wire-path.ts'
import { readSort } from './sort-parameter.ts'

/**
 * Each says of an included relation, whose path is in the first bracket, what the family without
 * `Included` says of the list itself.
 */
export const includedBaseNames = ['filterIncluded', 'sortIncluded', 'pageIncluded'] as const

/** What they can be refused for, beside what `include` can. */
export const includedSelectionErrors = [
  'unknown-field',
  'unknown-operator',
  'invalid-value',
  'invalid-filter',
  'invalid-sort',
  'invalid-page',
  'page-too-large',
] as const

/** Reads the windows into the nodes of the tree that they are about. */
export function readIncludedSelections(
  tree: IncludeTree,
  views: ModelViews,
  root: IncludeRoot,
  entries: readonly QueryParameterEntry[],
  limits: RouterLimits,
): readonly Problem[] {
  const problems: Problem[] = []
  const counted = createFilterNodeCounter('The filters of included relations')
  const byNode = new Map<IncludeTreeNode, QueryParameterEntry[]>()
  for (const entry of entries) {
    const node = findSelectedNode(tree, root, entry)
    if ('code' in node) problems.push(node)
    else byNode.set(node, [...(byNode.get(node) ?? []), { ...entry, path: entry.path.slice(1) }])
  }
  for (const [node, entries] of byNode) {
    node.selection = readIncludedSelection(node, views, entries, {
      limits,
      nodeCounter: counted,
      problems,
    })
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
      `An included relation is named in brackets: ${baseName}[…].`,
      source,
    )
  const node = findIncludeNode(tree, dotted)
  if (!node) {
    const known = joinNames(includePathsIn(tree).map((one) => truncate(one)))
    const detail = `'${truncate(dotted)}' is not among the included paths; ${known ? `they are ${known}` : 'none is included'}.`
    return problem('invalid-include', detail, source)
  }
  if (node.relation === onlyRelation && tree.get(dotted) === node) {
    const detail = `The items of '${dotted}' are the primary data here; they are asked for by filter, sort and page.`
    return problem('invalid-include', detail, source)
  }
  if (node.relation.kind !== 'toOne') return node
  const detail = `'${truncate(dotted)}' leads to one item; only those of a relation to many are filtered, sorted and paged.`
  return problem('invalid-include', detail, source)
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
  const of = (family: (typeof includedBaseNames)[number]) =>
    entries.filter((entry) => entry.baseName === family)
  const condition = allOf(
    of('filterIncluded').map((entry) => readFilter(filters, entry, limits, 'filterIncluded[…]')),
  )
  const sort = of('sortIncluded').flatMap(({ key, path, value }): readonly SortKey[] => {
    const sorted = path.length > 0 ? undefined : readSort(views, view, value, limits, key)
    if (sorted?.kind === 'read') return sorted.keys
    problems.push(
      ...(sorted?.problems ?? [misplacedParameter(key, 'sortIncluded[author.books]=-price')]),
    )
    return []
  })
  const [size] = of('pageIncluded').map(({ key, path, value }): number | undefined => {
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
    `There is no parameter '${truncate(key)}'; it is written as in ${example}.`,
    {
      parameter: key,
    },
  )
}
