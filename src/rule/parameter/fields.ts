import { type Problem, problem } from '../../error/problem.ts'
import { shortened } from '../../error/shortened.ts'
import { readableNames, type Views } from '../../model/model-view.ts'
import { type Parameter, read, refused } from '../parameter.ts'
import { listed } from './client-path.ts'

/** `fields[books]=title,price`: only these members of the items of that collection, wherever they stand; `id` always comes along. */
export function fieldsParameter(views: Views): Parameter {
  const byPlural = new Map(views.all.map((view) => [view.model.plural, readableNames(view)]))
  return {
    families: ['fields'],
    documented: [...byPlural].map(([plural, names]) => ({
      name: `fields[${plural}]`,
      description: `Only these members of ${plural}, separated by commas.`,
      schema: { type: 'array', items: { type: 'string', enum: names } },
    })),
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
