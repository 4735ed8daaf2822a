import type { OptionChecks } from '../model/check-options.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { timeZoneHint } from '../model/time-zone-hint.ts'
import { isTimeZone } from '../model/time-zone-name.ts'
import { isDay, isInstant } from '../model/value-type.ts'
import { aggregateTerms, aggregateValues } from '../operation/summary/aggregate-values.ts'
import { toFieldPath } from '../query/conditions.ts'
import type { AggregateTerm, GroupKey, GroupPlan, ItemGroup } from '../query/group-plan.ts'
import type { FieldPath, Scalar, SortKey } from '../query/query-plan.ts'
import { sortPathsIn } from '../query/sort-keys.ts'
import { type ValueFunction, valueFunctions } from '../rule/parameter/aggregate-functions.ts'
import type { AggregatedPath } from '../rule/parameter/aggregated-path.ts'
import { dateParts } from '../rule/parameter/group-keys.ts'
import type { RequestedAggregate } from '../rule/selection.ts'
import { groupedLeaf } from '../store/groups/grouped-leaf.ts'
import { resolvePath } from '../store/resolve-path.ts'
import { expectNames } from './code-arguments.ts'

/** What code asks for, by the names of the model. */
interface CodeGroupOptions {
  readonly by: readonly string[]
  readonly aggregates?: readonly string[]
  readonly timeZone?: string
}

export const groupOptions: OptionChecks<CodeGroupOptions & { readonly where?: unknown }> = {
  by: true,
  aggregates: true,
  where: true,
  timeZone: true,
}

/** The groups of a model as code asks for them. */
export interface CodeGroups {
  /** What is grouped and added up, so that it can be narrowed to what a caller sees. */
  readonly paths: readonly SortKey[]
  /** @param narrowed the paths, in their order */
  plan(narrowed: readonly SortKey[]): Pick<GroupPlan, 'by' | 'aggregates'>
  valuesOf(group: ItemGroup): {
    readonly by: Readonly<Record<string, Scalar>>
    readonly aggregates: Readonly<Record<string, Scalar>>
  }
}

/** @throws TypeError for a member that the model does not have, or that cannot be used so */
export function codeGroups(
  model: ModelDescription,
  { by, aggregates: names = [], timeZone }: CodeGroupOptions,
): CodeGroups {
  expectNames('groups()', 'by', by)
  expectNames('groups()', 'aggregates', names)
  if (timeZone !== undefined && !isTimeZone(timeZone))
    throw new TypeError(
      `'${timeZone}' is not a time zone. Use an IANA name, such as Europe/Berlin.${timeZoneHint(timeZone)}`,
    )
  const keys = by.map((name) => keyOf(model, name, timeZone))
  if (keys.filter(({ path }) => groupedLeaf(model, path).isMany).length > 1)
    throw new TypeError(`Items can be grouped by one list; '${by.join("', '")}' are several.`)
  const aggregates = names.map((name) => aggregateOf(model, name))
  const terms = aggregateTerms(aggregates, (path) => path)
  return {
    paths: [...keys, ...terms].map(({ path }) => ({ path, direction: 'asc' })),
    plan: (narrowed) => {
      const at = <T extends GroupKey | AggregateTerm>(part: T, index: number): T => ({
        ...part,
        path: sortPathsIn(narrowed[index]!)[0]!,
      })
      return {
        by: keys.map(at),
        aggregates: terms.map((term, index) => at(term, keys.length + index)),
      }
    },
    valuesOf: (group) => ({
      by: Object.fromEntries(by.map((name, index) => [name, group.keys[index] ?? null])),
      aggregates: aggregateValues(aggregates, group),
    }),
  }
}

const call = /^(\w+)\((.*)\)$/s

function keyOf(model: ModelDescription, name: string, timeZone: string | undefined): GroupKey {
  const [, partName, member = name] = call.exec(name) ?? []
  const path = toFieldPath(member)
  const { type, isMany } = groupedLeaf(model, path)
  if (partName === undefined) return { path }
  const part = dateParts.find((each) => each === partName)
  if (!part || isMany || !(isDay(type) || isInstant(type)))
    throw new TypeError(
      `'${name}' is not a part of a date; expected one of ${dateParts.join(', ')}, of a date or a date-time.`,
    )
  return { path, part, ...(timeZone !== undefined && { timeZone }) }
}

function aggregateOf(model: ModelDescription, name: string): RequestedAggregate {
  if (name === 'count') return { name, function: 'count' }
  const [, functionName = '', member = ''] = call.exec(name) ?? []
  if (!Object.hasOwn(valueFunctions, functionName))
    throw new TypeError(
      `'${name}' is not a function; expected count, or one of ${Object.keys(valueFunctions).join(', ')} of a member.`,
    )
  const known = functionName as ValueFunction
  const path = toFieldPath(member)
  const described = describedPath(model, path)
  const { takes, expected } = valueFunctions[known]
  if (!takes(described)) throw new TypeError(`'${name}' cannot be computed; expected ${expected}.`)
  return { name, function: known, path, type: described.type }
}

function describedPath(model: ModelDescription, path: FieldPath): AggregatedPath {
  const { leaf } = resolvePath(model, path)
  return { path, ...groupedLeaf(model, path), isRelation: leaf.kind !== 'value' }
}
