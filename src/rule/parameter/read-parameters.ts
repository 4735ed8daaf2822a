import { generations } from '../../cache/generations.ts'
import { refuseAll } from '../../error/api-error.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { shortened } from '../../error/shortened.ts'
import { formatQuery, parseQuery, type QueryEntry } from '../../http/query-string.ts'
import type { Parameter } from '../parameter.ts'
import { type Selection, type Spelled, wholeSelection } from '../selection.ts'
import { listed } from './client-path.ts'

/** Query strings that are asked with again and again are short, and few. */
const longestKept = 256
const kept = 200

/**
 * Compiles the parameters of a rule into the function that reads query strings. What was read is kept for the next request that asks just so.
 * The function throws ApiError with every fault of every parameter.
 */
export function parameterReader(parameters: readonly Parameter[]): (query: string) => Selection {
  const byFamily = new Map(parameters.flatMap((parameter) => parameter.families.map((family) => [family, parameter])))
  const known = generations<string, Selection>(kept)
  return (query) => {
    if (query === '') return wholeSelection
    const found = known.get(query)
    if (found) return found
    const selection = select(byFamily, parseQuery(query))
    if (query.length <= longestKept) known.set(query, frozen(selection))
    return selection
  }
}

/** Middleware gets to see what is made of it, and what serves many requests must not be changed by one. */
function frozen(selection: Selection): Selection {
  deepFreeze(selection.condition)
  deepFreeze(selection.sort)
  return Object.freeze(selection)
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const member of Object.values(value)) deepFreeze(member)
}

function select(byFamily: ReadonlyMap<string, Parameter>, entries: readonly QueryEntry[]): Selection {
  const problems: Problem[] = []
  const families = new Map<Parameter, QueryEntry[]>()
  const seen = new Set<string>()
  for (const entry of entries) {
    const parameter = byFamily.get(entry.family)
    if (!parameter) problems.push(unknownParameter(entry, [...byFamily.keys()]))
    else if (seen.has(entry.key)) problems.push(repeated(entry))
    else families.set(parameter, [...(families.get(parameter) ?? []), entry])
    seen.add(entry.key)
  }
  let selection: Selection = { ...wholeSelection, spelled: spelled(entries) }
  for (const [parameter, entries] of families) {
    const reading = parameter.read(entries)
    if (reading.kind === 'read') selection = { ...selection, ...reading.change }
    else problems.push(...reading.problems)
  }
  refuseAll(problems)
  return selection
}

function spelled(entries: readonly QueryEntry[]): Spelled {
  const format = (some: readonly QueryEntry[]) => formatQuery(some.map(({ key, value }) => [key, value]))
  return { whole: format(entries), unpaged: format(entries.filter(({ family }) => family !== 'page')) }
}

function unknownParameter({ key }: QueryEntry, known: readonly string[]): Problem {
  const detail = `There is no parameter '${shortened(key)}' here; ${known.length > 0 ? `there are ${listed(known)}` : 'there are none'}.`
  return problem('unknown-parameter', detail, { parameter: key })
}

function repeated({ key }: QueryEntry): Problem {
  return problem(
    'repeated-parameter',
    `'${shortened(key)}' is given more than once; ${key.startsWith('filter') ? "'[in]' compares with several values, as in filter[title][in]=Dune,Emma" : 'separate several values by commas'}.`,
    { parameter: key },
  )
}
