import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { unknownName } from '../../error/unknown-name.ts'
import type { ModelView, ModelViews } from '../../model/model-view.ts'
import { toPascalCase } from '../../model/naming.ts'
import { isDay, isInstant, plainText, type ScalarType } from '../../model/value-type.ts'
import type { DatePart } from '../../query/group-plan.ts'
import type { RouterLimits } from '../router-limits.ts'
import type { RequestedGroupKey } from '../selection.ts'
import { valueFunctions } from './aggregate-functions.ts'
import type { AggregatedPath } from './aggregated-path.ts'
import { declaredPaths } from './declared-paths.ts'
import type { NameList } from './name-list.ts'
import { readAggregatedPath } from './read-aggregated-path.ts'
import { suggestCall } from './suggest-call.ts'

const parameter = 'groupBy'

export const dateParts: readonly DatePart[] = ['year', 'quarter', 'month', 'week', 'day']

/** A key, and whether it leads to an array or to a to-many relation. */
export interface ReadGroupKey {
  readonly key: RequestedGroupKey
  readonly isMany: boolean
}

/** The members that a request groups by: `groupBy=author.country,year(publishedAt)`. */
export function groupKeyList(
  views: ModelViews,
  view: ModelView,
  limits: RouterLimits,
): NameList<ReadGroupKey> {
  return {
    name: parameter,
    description:
      'The members to group by, separated by commas; of dates and date-times also `year`, `quarter`, `month`, `week` (ISO 8601) and `day`, as in `year(publishedAt)`. At most one member may be a list: an item is in the group of each of its values.',
    noun: 'members',
    limit: limits.maxGroupKeys,
    componentName: `Group${toPascalCase(view.model.plural)}By`,
    listed: () => listedGroupKeys(views, view, limits).map(({ name }) => name),
    pattern: `^(?:(?:${dateParts.join('|')})\\([A-Za-z][\\w.-]*\\)|[A-Za-z][\\w-]*(?:\\.[A-Za-z][\\w-]*)+)$`,
    read: (name) => readGroupKey(views, view, name, limits),
  }
}

/** A key that documents name, with the type of its values. */
interface ListedGroupKey {
  readonly name: string
  readonly type: ScalarType
}

/** The keys of the declared members that a request within the limits can name. */
export function listedGroupKeys(
  views: ModelViews,
  view: ModelView,
  { maxRelationDepth }: Pick<RouterLimits, 'maxRelationDepth'>,
): readonly ListedGroupKey[] {
  return declaredPaths(views, view)
    .filter(({ relationCount }) => relationCount <= maxRelationDepth)
    .flatMap(({ name, path }) => [
      { name, type: path.type },
      ...(hasParts(path) ? dateParts : []).map((part) => ({
        name: `${part}(${name})`,
        type: plainText,
      })),
    ])
}

const pattern = /^([^(]*)\((.*)\)$/s

function readGroupKey(
  views: ModelViews,
  view: ModelView,
  name: string,
  limits: RouterLimits,
): ReadGroupKey | Problem {
  const key = readKey(views, view, name, limits)
  return 'code' in key ? withSuggestion(views, view, name, limits, key) : key
}

/** The refusal, with what was probably meant by a name in another form. */
function withSuggestion(
  views: ModelViews,
  view: ModelView,
  name: string,
  limits: RouterLimits,
  refusal: Problem,
): Problem {
  if (isFunction(name, refusal))
    return problem(
      'invalid-aggregate',
      `Cannot group by the function '${truncate(name)}'. Name it in 'withAggregates'.`,
      { parameter },
    )
  const listed = listedGroupKeys(views, view, limits).map((key) => key.name)
  const meant = suggestCall(
    name,
    listed.filter((each) => each.includes('(')),
  )
  return meant === undefined
    ? refusal
    : { ...refusal, detail: `Cannot group by '${truncate(name)}'. Did you mean '${meant}'?` }
}

/** A field may have the name of a function. */
function isFunction(name: string, { code }: Problem): boolean {
  if (name === 'count') return code === 'unknown-field'
  const [functionName = '', ...others] = name.split('(')
  return (
    others.length > 0 && (functionName === 'count' || Object.hasOwn(valueFunctions, functionName))
  )
}

function readKey(
  views: ModelViews,
  view: ModelView,
  name: string,
  limits: RouterLimits,
): ReadGroupKey | Problem {
  const [, partName, member = name] = pattern.exec(name) ?? []
  const part = dateParts.find((each) => each === partName)
  if (partName !== undefined && !part)
    return problem(
      'invalid-aggregate',
      unknownName(`Unknown part of a date '${truncate(partName)}'`, partName, dateParts),
      { parameter },
    )
  const action = part ? `group by the ${part} of` : 'group by'
  const path = readAggregatedPath(views, view, member, limits, parameter, action)
  if ('code' in path) return path
  const { isMany, isRelation, type } = path
  const text = isRelation ? 'identifier' : 'free'
  if (!part) return { key: { name, path: path.path, type, text }, isMany }
  if (!hasParts(path))
    return problem(
      'invalid-aggregate',
      `Cannot ${action} '${truncate(member)}'; expected a date or a date-time.`,
      { parameter },
    )
  return { key: { name, path: path.path, type: plainText, text: 'identifier', part }, isMany }
}

function hasParts({ type, isMany }: AggregatedPath): boolean {
  return !isMany && (isDay(type) || isInstant(type))
}

/** The groups of two lists are as many as the product of their values. */
export function tooManyLists(keys: readonly ReadGroupKey[]): readonly Problem[] {
  const [first, ...others] = keys.filter(({ isMany }) => isMany)
  return others.map(({ key: { name } }) =>
    problem(
      'invalid-aggregate',
      `Only one member of '${parameter}' may be a list: '${truncate(first!.key.name)}' or '${truncate(name)}'. Group by one, and filter by the other.`,
      { parameter },
    ),
  )
}
