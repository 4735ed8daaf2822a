import { memoizeBy } from '../../cache/memoize-by.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { type ModelViews, readableNames } from '../../model/model-view.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import {
  acceptParameter,
  type DocumentedParameter,
  type QueryParameter,
  refuseParameter,
} from '../query-parameter.ts'
import { joinNames } from './resolve-wire-path.ts'

/**
 * `fields[books]=title,price`: only these members of the items of that collection, wherever they
 * stand; `id` always comes along.
 */
export const fieldsParameter: (views: ModelViews) => QueryParameter = memoizeBy(makeParameter)

function makeParameter(views: ModelViews): QueryParameter {
  const byPlural = new Map(views.all.map((view) => [view.model.plural, readableNames(view)]))
  return {
    baseNames: ['fields'],
    describe: () => [describeFields(byPlural)],
    errors: ['unknown-field'],
    read: (entries) => {
      const problems: Problem[] = []
      const fields = new Map<string, ReadonlySet<string>>()
      for (const { key, path, value } of entries) {
        const plural = path[0] ?? ''
        const known = path.length === 1 ? byPlural.get(plural) : undefined
        const wanted = value === '' ? [] : value.split(',')
        if (!known) problems.push(unknownCollection(key, [...byPlural.keys()]))
        else
          problems.push(
            ...wanted
              .filter((name) => !known.includes(name))
              .map((name) => unknownField(key, plural, name, known)),
          )
        fields.set(plural, new Set(wanted))
      }
      return problems.length > 0 ? refuseParameter(problems) : acceptParameter({ fields })
    },
  }
}

/** In a schema of text, the names that the text may hold, separated by commas. */
const namesKeyword = 'x-resourcery-names'

/**
 * One parameter with a member for each collection: with one for each collection and operation,
 * documents would grow with their square.
 */
function describeFields(byPlural: ReadonlyMap<string, readonly string[]>): DocumentedParameter {
  const plurals = [...byPlural.keys()].sort()
  return {
    name: 'fields',
    description:
      'Only these members of the items of that collection, separated by commas, wherever they stand. `id` always comes along.',
    schema: {
      type: 'object',
      properties: Object.fromEntries(
        plurals.map((plural) => [plural, namesSchema(byPlural.get(plural)!)]),
      ),
      additionalProperties: false,
    },
    style: 'members',
    componentName: 'Fields',
  }
}

/**
 * In words, for a pattern of all names is for no reader; tools that make requests up read the list.
 */
function namesSchema(names: readonly string[]): JsonSchema {
  return {
    type: 'string',
    description: `Of ${names.map((name) => `\`${name}\``).join(', ')}`,
    [namesKeyword]: names,
  }
}

function unknownCollection(key: string, known: readonly string[]): Problem {
  return problem(
    'unknown-parameter',
    `There is no collection for '${truncate(key)}'; there are ${known.map((one) => `fields[${one}]`).join(', ')}.`,
    { parameter: key },
  )
}

function unknownField(
  key: string,
  plural: string,
  name: string,
  known: readonly string[],
): Problem {
  return problem(
    'unknown-field',
    `The ${plural} have no field '${truncate(name)}'; they have ${joinNames(known)}.`,
    {
      parameter: key,
    },
  )
}
