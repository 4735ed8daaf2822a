import { type Problem, problem } from '../../error/problem.ts'
import { shortened } from '../../error/shortened.ts'
import type { QueryEntry } from '../../http/query-string.ts'
import type { Views } from '../../model/model-view.ts'
import { allOf } from '../../query/conditions.ts'
import type { SortKey } from '../../query/query-plan.ts'
import type { Limits } from '../limits.ts'
import type { IncludedWindow } from '../selection.ts'
import { listed } from './client-path.ts'
import { readFilter } from './filter.ts'
import { type FilterNodes, FilterReader, filterNodes } from './filter-reader.ts'
import { type Growing, type GrowingLevel, nodeAt, pathsIn, type Root } from './include-tree.ts'
import { pageSize } from './page.ts'
import { readSort } from './sort.ts'

/** Each says of an included relation, whose path is in the first bracket, what the family without `Included` says of the list itself. */
export const windowFamilies = ['filterIncluded', 'sortIncluded', 'pageIncluded'] as const

/** What they can be refused for, beside what `include` can. */
export const windowErrors = [
  'unknown-field',
  'unknown-operator',
  'invalid-value',
  'invalid-filter',
  'invalid-sort',
  'invalid-page',
  'page-too-large',
] as const

/** Reads the windows into the nodes of the tree that they are about. */
export function readWindows(
  tree: GrowingLevel,
  views: Views,
  root: Root,
  entries: readonly QueryEntry[],
  limits: Limits,
): readonly Problem[] {
  const problems: Problem[] = []
  const counted = filterNodes('The filters of included relations')
  const byNode = new Map<Growing, QueryEntry[]>()
  for (const entry of entries) {
    const node = windowed(tree, root, entry)
    if ('code' in node) problems.push(node)
    else byNode.set(node, [...(byNode.get(node) ?? []), { ...entry, path: entry.path.slice(1) }])
  }
  for (const [node, entries] of byNode) {
    node.window = windowOf(node, views, entries, { limits, counted, problems })
  }
  return problems
}

/** The node that the first bracket names. */
function windowed(tree: GrowingLevel, { first }: Root, { family, key, path }: QueryEntry): Growing | Problem {
  const source = { parameter: key }
  const [dotted] = path
  if (dotted === undefined)
    return problem('unknown-parameter', `An included relation is named in brackets: ${family}[…].`, source)
  const node = nodeAt(tree, dotted)
  if (!node) {
    const known = listed(pathsIn(tree).map((one) => shortened(one)))
    const detail = `'${shortened(dotted)}' is not among the included paths; ${known ? `they are ${known}` : 'none is included'}.`
    return problem('invalid-include', detail, source)
  }
  if (node.relation === first && tree.get(dotted) === node) {
    const detail = `The items of '${dotted}' are the primary data here; they are asked for by filter, sort and page.`
    return problem('invalid-include', detail, source)
  }
  if (node.relation.kind !== 'toOne') return node
  const detail = `'${shortened(dotted)}' leads to one item; only those of a relation to many are filtered, sorted and paged.`
  return problem('invalid-include', detail, source)
}

interface Gathering {
  readonly limits: Limits
  readonly counted: FilterNodes
  readonly problems: Problem[]
}

function windowOf(
  { relation }: Growing,
  views: Views,
  entries: readonly QueryEntry[],
  { limits, counted, problems }: Gathering,
): IncludedWindow {
  const view = views.of(relation.target)
  const filters = new FilterReader(views, view, limits, counted)
  const of = (family: (typeof windowFamilies)[number]) => entries.filter((entry) => entry.family === family)
  const condition = allOf(of('filterIncluded').map((entry) => readFilter(filters, entry, limits, 'filterIncluded[…]')))
  const sort = of('sortIncluded').flatMap(({ key, path, value }): readonly SortKey[] => {
    const sorted = path.length > 0 ? undefined : readSort(views, view, value, limits, key)
    if (sorted?.kind === 'read') return sorted.keys
    problems.push(...(sorted?.problems ?? [misplaced(key, 'sortIncluded[author.books]=-price')]))
    return []
  })
  const [size] = of('pageIncluded').map(({ key, path, value }): number | undefined => {
    if (path.length === 1 && path[0] === 'size') return pageSize(key, value, limits, problems)
    problems.push(misplaced(key, 'pageIncluded[author.books][size]=5'))
    return undefined
  })
  problems.push(...filters.problems)
  return { condition, sort, size }
}

function misplaced(key: string, example: string): Problem {
  return problem('unknown-parameter', `There is no parameter '${shortened(key)}'; it is written as in ${example}.`, {
    parameter: key,
  })
}
