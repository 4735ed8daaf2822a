import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import type { QueryParameterEntry } from '../../http/query-string.ts'
import {
  acceptParameter,
  type DocumentedParameter,
  type QueryParameter,
  refuseParameter,
} from '../query-parameter.ts'
import type { Selection } from '../selection.ts'
import { withoutBrackets } from './parameter-statements.ts'

/** A parameter about all items of a list, which names several things, separated by commas. */
export interface NameList<T extends object> {
  readonly name: string
  readonly description: string
  /** What the names stand for: `functions`. */
  readonly noun: string
  /** How many names it takes. */
  readonly limit: number
  readonly componentName: string
  /** The names that documents list, and the pattern of others. */
  readonly listed: () => readonly string[]
  readonly pattern: string
  read(name: string): T | Problem
}

/** The parameter, which takes each name once. */
export function nameListParameter<T extends object>(
  list: NameList<T>,
  select: (values: readonly T[]) => Partial<Selection>,
): QueryParameter {
  return {
    baseNames: [list.name],
    describe: () => [describeNameList(list)],
    errors: nameListErrors,
    read: (entries) => {
      const { values, problems } = readNameList(list, entries)
      return problems.length > 0 ? refuseParameter(problems) : acceptParameter(select(values))
    },
  }
}

export const nameListErrors = ['unknown-field', 'invalid-aggregate', 'limit-exceeded'] as const

export function describeNameList<T extends object>({
  name,
  description,
  limit,
  componentName,
  listed,
  pattern,
}: NameList<T>): DocumentedParameter {
  const names = listed()
  const other = { type: 'string', pattern } as const
  return {
    name,
    description,
    schema: {
      type: 'array',
      minItems: 1,
      maxItems: limit,
      items: names.length === 0 ? other : { anyOf: [{ type: 'string', enum: names }, other] },
    },
    style: 'commaSeparated',
    componentName,
  }
}

interface ReadNames<T> {
  readonly values: readonly T[]
  readonly problems: readonly Problem[]
}

/** @param entries those of the parameter: the names, and members in brackets, which it has not */
export function readNameList<T extends object>(
  list: NameList<T>,
  entries: readonly QueryParameterEntry[],
): ReadNames<T> {
  const read = entries.map((entry) => readNames(list, entry))
  return {
    values: read.flatMap(({ values }) => values),
    problems: read.flatMap(({ problems }) => problems),
  }
}

/** Reads each name of a list, in which none stands twice. */
function readNames<T extends object>(
  { noun, limit, read }: NameList<T>,
  { key, path, value }: QueryParameterEntry,
): ReadNames<T> {
  const refused = (reason: Problem) => ({ values: [], problems: [reason] })
  const source = { parameter: key }
  if (path.length > 0) return refused(withoutBrackets(key))
  const names = value.split(',')
  if (names.length > limit)
    return refused(
      problem('limit-exceeded', `'${key}' must have at most ${limit} ${noun}.`, source, { limit }),
    )
  const all = names.map((name, index) =>
    names.indexOf(name) < index
      ? problem('invalid-aggregate', `'${truncate(name)}' is named twice in '${key}'.`, source)
      : read(name),
  )
  const isProblem = (each: T | Problem): each is Problem => 'code' in each
  return {
    values: all.filter((each): each is T => !isProblem(each)),
    problems: all.filter(isProblem),
  }
}
