import { oncePer } from '../../cache/once-per.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { shortened } from '../../error/shortened.ts'
import { readableNames, type Views } from '../../model/model-view.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import { type DocumentedParameter, type Parameter, read, refused } from '../parameter.ts'
import { listed } from './client-path.ts'

/** `fields[books]=title,price`: only these members of the items of that collection, wherever they stand; `id` always comes along. */
export const fieldsParameter: (views: Views) => Parameter = oncePer(makeParameter)

function makeParameter(views: Views): Parameter {
  const byPlural = new Map(views.all.map((view) => [view.model.plural, readableNames(view)]))
  return {
    families: ['fields'],
    documented: () => [documentedFields(byPlural)],
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
            ...wanted.filter((name) => !known.includes(name)).map((name) => unknownField(key, plural, name, known)),
          )
        fields.set(plural, new Set(wanted))
      }
      return problems.length > 0 ? refused(problems) : read({ fields })
    },
  }
}

/** In a schema of text, the names that the text may hold, separated by commas. */
const namesWord = 'x-resourcery-names'

/** One parameter with a member for each collection: with one for each collection and operation, documents would grow with their square. */
function documentedFields(byPlural: ReadonlyMap<string, readonly string[]>): DocumentedParameter {
  const plurals = [...byPlural.keys()].sort()
  return {
    name: 'fields',
    description:
      'Only these members of the items of that collection, separated by commas, wherever they stand. `id` always comes along.',
    schema: {
      type: 'object',
      properties: Object.fromEntries(plurals.map((plural) => [plural, namesSchema(byPlural.get(plural)!)])),
      additionalProperties: false,
    },
    written: 'members',
    shared: 'Fields',
  }
}

/** In words, for a pattern of all names is for no reader; tools that make requests up read the list. */
function namesSchema(names: readonly string[]): JsonSchema {
  return { type: 'string', description: `Of ${names.map((name) => `\`${name}\``).join(', ')}`, [namesWord]: names }
}

function unknownCollection(key: string, known: readonly string[]): Problem {
  return problem(
    'unknown-parameter',
    `There is no collection for '${shortened(key)}'; there are ${known.map((one) => `fields[${one}]`).join(', ')}.`,
    { parameter: key },
  )
}

function unknownField(key: string, plural: string, name: string, known: readonly string[]): Problem {
  return problem('unknown-field', `The ${plural} have no field '${shortened(name)}'; they have ${listed(known)}.`, {
    parameter: key,
  })
}
