import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import type { QueryParameterEntry } from '../../http/query-string.ts'
import type { RouterLimits } from '../router-limits.ts'

/** What a parameter names, separated by commas. */
interface NameList {
  /** What the names stand for: `functions`. */
  readonly noun: string
  readonly limits: RouterLimits
}

/** Reads each name of a list, in which none stands twice. */
export function readNameList<T extends object>(
  { key, path, value }: QueryParameterEntry,
  { noun, limits: { maxAggregates: limit } }: NameList,
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
