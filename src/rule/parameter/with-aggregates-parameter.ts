import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { unknownName } from '../../error/unknown-name.ts'
import type { ModelView, ModelViews } from '../../model/model-view.ts'
import { toPascalCase } from '../../model/naming.ts'
import type { QueryParameter } from '../query-parameter.ts'
import type { RouterLimits } from '../router-limits.ts'
import type { RequestedAggregate } from '../selection.ts'
import { type ValueFunction, valueFunctions } from './aggregate-functions.ts'
import { listedAggregates } from './aggregate-schemas.ts'
import { type NameList, nameListParameter } from './name-list.ts'
import { readAggregatedPath } from './read-aggregated-path.ts'
import { suggestCall } from './suggest-call.ts'

const parameter = 'withAggregates'

const functionNames = ['count', ...Object.keys(valueFunctions)]

/**
 * `withAggregates=count,sum(price)`: what the items of all pages add up to.
 *
 * ```ts
 * const parameters = [withAggregatesParameter(views, view, limits), pageParameter(limits)]
 * ```
 */
export function withAggregatesParameter(
  views: ModelViews,
  view: ModelView,
  limits: RouterLimits,
): QueryParameter {
  return nameListParameter(
    aggregateList(views, view, limits, {
      description: 'Adds what the items of all pages add up to as `meta.aggregates`',
      componentName: `With${toPascalCase(view.model.name)}Aggregates`,
    }),
    (aggregates) => ({ aggregates }),
  )
}

/** The functions over the items of a list, or of each of its groups. */
export function aggregateList(
  views: ModelViews,
  view: ModelView,
  limits: RouterLimits,
  {
    description,
    componentName,
  }: Pick<NameList<RequestedAggregate>, 'description' | 'componentName'>,
): NameList<RequestedAggregate> {
  return {
    name: parameter,
    description: `${description}: functions, separated by commas. \`count\` is the number of items; \`sum\`, \`avg\`, \`min\`, \`max\` and \`countDistinct\` take the name of a member. Null takes no part.`,
    noun: 'functions',
    limit: limits.maxAggregates,
    componentName,
    listed: () => listedAggregates(views, view, limits),
    pattern: '^[a-zA-Z]+\\([A-Za-z][\\w.-]*\\)$',
    read: (name) => readAggregate(views, view, name, limits),
  }
}

const pattern = /^([A-Za-z]+)\((.*)\)$/s

function readAggregate(
  views: ModelViews,
  view: ModelView,
  name: string,
  limits: RouterLimits,
): RequestedAggregate | Problem {
  if (name === 'count') return { name, function: 'count' }
  const [, functionName = '', member = ''] = pattern.exec(name) ?? []
  if (functionName === '') {
    const meant = suggestCall(name, listedAggregates(views, view, limits))
    const hint = meant === undefined ? '' : ` Did you mean '${meant}'?`
    return invalid(
      `Expected a function, as in ${parameter}=count,sum(price); got '${truncate(name)}'.${hint}`,
    )
  }
  if (!Object.hasOwn(valueFunctions, functionName))
    return invalid(unknownFunction(functionName, member))
  const known = functionName as ValueFunction
  const action = known === 'countDistinct' ? 'count the values of' : `use '${known}' for`
  const path = readAggregatedPath(views, view, member, limits, parameter, action)
  if ('code' in path) return path
  const { takes, expected } = valueFunctions[known]
  if (!takes(path)) return invalid(`Cannot ${action} '${truncate(member)}'; expected ${expected}.`)
  return { name, function: known, path: path.path, type: path.type }
}

/** What other query languages call them. */
const synonyms: Readonly<Record<string, ValueFunction>> = {
  total: 'sum',
  average: 'avg',
  mean: 'avg',
  minimum: 'min',
  maximum: 'max',
  distinct: 'countDistinct',
}

function unknownFunction(name: string, member: string): string {
  if (name === 'count')
    return member === '' || member === '*'
      ? "'count' takes no member. Did you mean 'count'?"
      : "'count' takes no member. Use 'countDistinct' to count values."
  const statement = `Unknown function '${truncate(name)}'`
  const synonym = name.toLowerCase()
  return Object.hasOwn(synonyms, synonym)
    ? `${statement}. Did you mean '${synonyms[synonym]}'?`
    : unknownName(statement, name, functionNames)
}

function invalid(detail: string): Problem {
  return problem('invalid-aggregate', detail, { parameter })
}
