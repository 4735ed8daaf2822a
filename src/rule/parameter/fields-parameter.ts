import { memoizeBy } from '../../cache/memoize-by.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { unknownName } from '../../error/unknown-name.ts'
import type { QueryParameterEntry } from '../../http/query-string.ts'
import { type ModelViews, readableNames } from '../../model/model-view.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import {
  acceptParameter,
  type DocumentedParameter,
  type QueryParameter,
  refuseParameter,
} from '../query-parameter.ts'
import { unknownParameterStatement } from './parameter-statements.ts'

/**
 * `fields[books]=title,price`: only these members of all books in the response, and the `id`.
 *
 * ```ts
 * const format: ModelFormat = { ...modelFormat, itemParameters: [fieldsParameter(views)] }
 * ```
 */
export const fieldsParameter: (views: ModelViews) => QueryParameter = memoizeBy(makeParameter)

function makeParameter(views: ModelViews): QueryParameter {
  const open = views.all.filter(({ model }) => !views.closedModels.has(model))
  const byPlural = new Map(open.map((view) => [view.model.plural, readableNames(view)]))
  return {
    baseNames: ['fields'],
    describe: () => [describeFields(byPlural)],
    errors: ['unknown-field'],
    read: (entries) => {
      const problems: Problem[] = []
      const fields = new Map<string, ReadonlySet<string>>()
      for (const entry of entries) {
        const { key, path, value } = entry
        const plural = path[0] ?? ''
        const allowed = path.length === 1 ? byPlural.get(plural) : undefined
        const names = value === '' ? [] : value.split(',')
        if (!allowed) problems.push(unknownCollection(entry, [...byPlural.keys()]))
        else
          problems.push(
            ...names
              .filter((name) => !allowed.includes(name))
              .map((name, index) => unknownField(key, plural, name, allowed, index)),
          )
        fields.set(plural, new Set(names))
      }
      return problems.length > 0 ? refuseParameter(problems) : acceptParameter({ fields })
    },
  }
}

/** In a string schema, the names that it allows, separated by commas. */
const namesKeyword = 'x-resourcery-names'

/** One parameter for all collections: one for each would let documents grow quadratically. */
function describeFields(byPlural: ReadonlyMap<string, readonly string[]>): DocumentedParameter {
  const plurals = [...byPlural.keys()].sort()
  return {
    name: 'fields',
    description:
      'Selects the members of the items of a collection, separated by commas. `id` is always included.',
    schema: {
      type: 'object',
      properties: Object.fromEntries(
        plurals.map((plural) => [plural, namesSchema(byPlural.get(plural)!)]),
      ),
      additionalProperties: false,
    },
    style: 'deepObject',
    componentName: 'Fields',
  }
}

/** A description instead of a long pattern; tools that generate requests read the keyword. */
function namesSchema(names: readonly string[]): JsonSchema {
  return {
    type: 'string',
    description: `Any of ${names.map((name) => `\`${name}\``).join(', ')}`,
    [namesKeyword]: names,
  }
}

function unknownCollection(
  { key, path }: QueryParameterEntry,
  plurals: readonly string[],
): Problem {
  return problem(
    'unknown-parameter',
    unknownName(unknownParameterStatement(key), path.join('.'), plurals, {
      format: (plural) => `fields[${plural}]`,
    }),
    { parameter: key },
  )
}

function unknownField(
  key: string,
  plural: string,
  name: string,
  allowed: readonly string[],
  problemCount: number,
): Problem {
  const statement = `Unknown field '${truncate(name)}' of '${plural}'`
  const detail = unknownName(statement, name, allowed, { problemCount })
  return problem('unknown-field', detail, { parameter: key })
}
