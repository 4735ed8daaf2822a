import { lruCache } from '../../cache/lru-cache.ts'
import { refuseAll } from '../../error/api-error.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { formatQuery, parseQuery, type QueryParameterEntry } from '../../http/query-string.ts'
import type { QueryParameter } from '../query-parameter.ts'
import { type CanonicalQuery, defaultSelection, type Selection } from '../selection.ts'
import { joinNames } from './resolve-wire-path.ts'

/** Query strings that are asked with again and again are short, and few. */
const maxCachedQueryLength = 256
const maxCachedQueries = 200

/**
 * Compiles the parameters of a rule into the function that reads query strings. What was read is
 * kept for the next request that asks just so. The function throws ApiError with every fault of
 * every parameter.
 */
export function createParameterReader(
  parameters: readonly QueryParameter[],
): (query: string) => Selection {
  const byFamily = new Map(
    parameters.flatMap((parameter) => parameter.baseNames.map((family) => [family, parameter])),
  )
  const known = lruCache<string, Selection>(maxCachedQueries)
  return (query) => {
    if (query === '') return defaultSelection
    const found = known.get(query)
    if (found) return found
    const selection = readSelection(byFamily, parseQuery(query))
    if (query.length <= maxCachedQueryLength) known.set(query, freezeSelection(selection))
    return selection
  }
}

/**
 * Middleware gets to see what is made of it, and what serves many requests must not be changed by
 * one.
 */
function freezeSelection(selection: Selection): Selection {
  deepFreeze(selection.condition)
  deepFreeze(selection.sort)
  return Object.freeze(selection)
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const member of Object.values(value)) deepFreeze(member)
}

function readSelection(
  byFamily: ReadonlyMap<string, QueryParameter>,
  entries: readonly QueryParameterEntry[],
): Selection {
  const problems: Problem[] = []
  const families = new Map<QueryParameter, QueryParameterEntry[]>()
  const seen = new Set<string>()
  for (const entry of entries) {
    const parameter = byFamily.get(entry.baseName)
    if (!parameter) problems.push(unknownParameter(entry, [...byFamily.keys()]))
    else if (seen.has(entry.key)) problems.push(repeatedParameter(entry))
    else families.set(parameter, [...(families.get(parameter) ?? []), entry])
    seen.add(entry.key)
  }
  let selection: Selection = { ...defaultSelection, canonicalQuery: canonicalQueryOf(entries) }
  for (const [parameter, entries] of families) {
    const reading = parameter.read(entries)
    if (reading.kind === 'read') selection = { ...selection, ...reading.change }
    else problems.push(...reading.problems)
  }
  refuseAll(problems)
  return selection
}

function canonicalQueryOf(entries: readonly QueryParameterEntry[]): CanonicalQuery {
  const format = (some: readonly QueryParameterEntry[]) =>
    formatQuery(some.map(({ key, value }) => [key, value]))
  return {
    complete: format(entries),
    withoutPage: format(entries.filter(({ baseName }) => baseName !== 'page')),
  }
}

function unknownParameter({ key }: QueryParameterEntry, known: readonly string[]): Problem {
  const detail = `There is no parameter '${truncate(key)}' here; ${known.length > 0 ? `there are ${joinNames(known)}` : 'there are none'}.`
  return problem('unknown-parameter', detail, { parameter: key })
}

function repeatedParameter({ key }: QueryParameterEntry): Problem {
  return problem(
    'repeated-parameter',
    `'${truncate(key)}' is given more than once; ${key.startsWith('filter') ? "'[in]' compares with several values, as in filter[title][in]=Dune,Emma" : 'separate several values by commas'}.`,
    { parameter: key },
  )
}
