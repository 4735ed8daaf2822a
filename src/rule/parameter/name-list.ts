import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import type { QueryParameterEntry } from '../../http/query-string.ts'
import type { ModelView } from '../../model/model-view.ts'
import { toPascalCase } from '../../model/naming.ts'
import { acceptParameter, type QueryParameter, refuseParameter } from '../query-parameter.ts'
import type { RouterLimits } from '../router-limits.ts'
import type { Selection } from '../selection.ts'

/** A parameter about all items of a list, which names several things, separated by commas. */
interface NameList<T extends object> {
  readonly name: string
  readonly description: string
  /** What the names stand for: `functions`. */
  readonly noun: string
  readonly limits: RouterLimits
  readonly view: ModelView
  /** The names that documents list, and the pattern of others. */
  readonly listed: () => readonly string[]
  readonly pattern: string
  read(name: string): T | Problem
  select(values: readonly T[]): Partial<Selection>
}

/** The parameter `with…`, which takes each name once. */
export function nameListParameter<T extends object>(list: NameList<T>): QueryParameter {
  const { name, description, limits, view, listed, pattern, read, select } = list
  return {
    baseNames: [name],
    describe: () => [
      {
        name,
        description,
        schema: {
          type: 'array',
          minItems: 1,
          maxItems: limits.maxAggregates,
          items: {
            anyOf: [
              { type: 'string', enum: listed() },
              { type: 'string', pattern },
            ],
          },
        },
        style: 'commaSeparated',
        componentName: toPascalCase(name).replace('With', `With${toPascalCase(view.model.name)}`),
      },
    ],
    errors: ['unknown-field', 'invalid-aggregate', 'limit-exceeded'],
    read: ([entry]) => {
      const { values, problems } = readNameList(entry!, list, read)
      return problems.length > 0 ? refuseParameter(problems) : acceptParameter(select(values))
    },
  }
}

/** Reads each name of a list, in which none stands twice. */
function readNameList<T extends object>(
  { key, path, value }: QueryParameterEntry,
  { noun, limits: { maxAggregates: limit } }: Pick<NameList<T>, 'noun' | 'limits'>,
  read: (name: string) => T | Problem,
): { readonly values: readonly T[]; readonly problems: readonly Problem[] } {
  const refused = (reason: Problem) => ({ values: [], problems: [reason] })
  const source = { parameter: key }
  const [base = key] = key.split('[')
  if (path.length > 0)
    return refused(problem('unknown-parameter', `Write '${base}=…' without brackets.`, source))
  const names = value.split(',')
  if (names.length > limit)
    return refused(
      problem('limit-exceeded', `'${base}' must have at most ${limit} ${noun}.`, source, { limit }),
    )
  const all = names.map((name, index) =>
    names.indexOf(name) < index
      ? problem('invalid-aggregate', `'${truncate(name)}' is named twice in '${base}'.`, source)
      : read(name),
  )
  const isProblem = (each: T | Problem): each is Problem => 'code' in each
  return {
    values: all.filter((each): each is T => !isProblem(each)),
    problems: all.filter(isProblem),
  }
}
