import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import type { QueryParameterEntry } from '../../http/query-string.ts'
import {
  type FieldDescription,
  isRelation,
  type ModelDescription,
} from '../../model/model-description.ts'
import type { ModelView } from '../../model/model-view.ts'
import type { Condition, FieldPath } from '../../query/query-plan.ts'
import {
  acceptParameter,
  type DocumentedParameter,
  type QueryParameter,
  refuseParameter,
} from '../query-parameter.ts'
import type { RouterLimits } from '../router-limits.ts'
import { readSearchTerms } from './read-search-terms.ts'

const parameter = 'search'

function searchParameter(view: ModelView, limits: RouterLimits): QueryParameter {
  return {
    baseNames: [parameter],
    describe: () => [describeSearch(view, limits)],
    errors: searchErrors,
    read: ([entry]) => {
      const search = readSearch(view, entry!, limits)
      return 'code' in search ? refuseParameter([search]) : acceptParameter({ condition: search })
    },
  }
}

/**
 * `search=words`: the items in whose texts all of the words occur, as the model declares them
 * (`search`); none where it declares nothing.
 *
 * ```ts
 * const parameters = [filterParameter(views, view, limits), ...searchParameters(view, limits)]
 * ```
 */
export function searchParameters(view: ModelView, limits: RouterLimits): readonly QueryParameter[] {
  return view.model.searched.length === 0 ? [] : [searchParameter(view, limits)]
}

const searchErrors = ['unknown-parameter', 'invalid-value', 'limit-exceeded'] as const

function describeSearch(
  { model }: ModelView,
  { maxSearchLength }: RouterLimits,
): DocumentedParameter {
  const names = model.searched.map(({ path }) => wireNameOf(model, path))
  return {
    name: parameter,
    description: `Words that occur in ${names.map((name) => `\`${name}\``).join(', ')}, whatever their case and accents: each in any of these. The last word may be the beginning of one. Quotes ask for a phrase, and a minus excludes what follows it.`,
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: maxSearchLength,
      pattern: '^(?=[\\s\\S]*[A-Za-z0-9\\u0080-\\uFFFF])',
    },
    style: 'plain',
    componentName: undefined,
  }
}

/** The name of a searched text as clients see it. */
function wireNameOf(start: ModelDescription, { names }: FieldPath): string {
  let model: ModelDescription | undefined = start
  const wires = names.map((name) => {
    const field: FieldDescription | undefined = model?.fieldsByName.get(name)
    model = field && isRelation(field) ? field.relatedModel : undefined
    return field?.wireName ?? name
  })
  return wires.join('.')
}

type Search = Extract<Condition, { kind: 'search' }>

function readSearch(
  { model }: ModelView,
  { key, path, value }: QueryParameterEntry,
  { maxSearchWords, maxSearchLength }: RouterLimits,
): Search | Problem {
  const source = { parameter: key }
  if (path.length > 0)
    return problem('unknown-parameter', "Write 'search=…' without brackets.", source)
  if (value.length > maxSearchLength) {
    const detail = `'${parameter}' must have at most ${maxSearchLength} characters.`
    return problem('limit-exceeded', detail, source, { limit: maxSearchLength })
  }
  const terms = readSearchTerms(value)
  if (terms.length === 0)
    return problem(
      'invalid-value',
      `'${parameter}' must have at least one word; got '${truncate(value)}'.`,
      source,
    )
  const wordCount = terms.reduce((count, { words }) => count + words.split(' ').length, 0)
  if (wordCount > maxSearchWords) {
    const detail = `'${parameter}' must have at most ${maxSearchWords} words.`
    return problem('limit-exceeded', detail, source, { limit: maxSearchWords })
  }
  return { kind: 'search', fields: model.searched, terms }
}
