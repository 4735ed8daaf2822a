import { lruCache } from '../../cache/lru-cache.ts'
import { refuseAll } from '../../error/api-error.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { unknownName } from '../../error/unknown-name.ts'
import { formatQuery, parseQuery, type QueryParameterEntry } from '../../http/query-string.ts'
import { always, andAlso } from '../../query/conditions.ts'
import type { QueryParameter } from '../query-parameter.ts'
import { type CanonicalQuery, defaultSelection, type Selection } from '../selection.ts'
import { optionHint, unknownParameterStatement } from './parameter-statements.ts'
import { boundsInAddresses, type QueryBounds } from './query-bounds.ts'

/** Only short query strings are cached: those that clients repeat are short. */
const maxCachedQueryLength = 256
const maxCachedQueries = 200

/**
 * Creates the parser for the query strings of a rule. It caches its results, and throws one
 * ApiError with all problems of all parameters.
 */
export function createParameterReader(
  parameters: readonly QueryParameter[],
  bounds: QueryBounds = boundsInAddresses,
): (query: string) => Selection {
  const byBaseName = new Map(
    parameters.flatMap((parameter) => parameter.baseNames.map((name) => [name, parameter])),
  )
  const changes = parameters.flatMap(({ absent }) => absent ?? [])
  // The default selection itself says that a document may be cached.
  const defaults: Selection =
    changes.length === 0
      ? defaultSelection
      : Object.freeze(Object.assign({}, defaultSelection, ...changes))
  const required = parameters.filter(({ missing }) => missing)
  const cache = lruCache<string, Selection>(maxCachedQueries)
  return (query) => {
    if (query === '' && required.length === 0) return defaults
    const cached = cache.get(query)
    if (cached) return cached
    const entries = parseQuery(query, bounds.maxLength)
    const selection = readSelection(byBaseName, required, entries, { defaults, ...bounds })
    const isCached =
      query.length <= maxCachedQueryLength &&
      !entries.some(({ baseName }) => byBaseName.get(baseName)?.isCredential)
    if (isCached) cache.set(query, freezeSelection(selection))
    return selection
  }
}

interface ReadSettings extends QueryBounds {
  readonly defaults: Selection
}

/** Middleware can see parts of a cached selection, but must not change them. */
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
  byBaseName: ReadonlyMap<string, QueryParameter>,
  required: readonly QueryParameter[],
  entries: readonly QueryParameterEntry[],
  { defaults, maxLinkedLength }: ReadSettings,
): Selection {
  const problems: Problem[] = []
  const byParameter = new Map<QueryParameter, QueryParameterEntry[]>()
  const seen = new Set<string>()
  for (const entry of entries) {
    const parameter = byBaseName.get(entry.baseName)
    if (!parameter) problems.push(unknownParameter(entry, [...byBaseName.keys()], problems.length))
    else if (seen.has(entry.key)) problems.push(repeatedParameter(entry, parameter))
    else byParameter.set(parameter, [...(byParameter.get(parameter) ?? []), entry])
    seen.add(entry.key)
  }
  for (const parameter of required)
    if (!byParameter.has(parameter)) problems.push(parameter.missing!)
  const linked = entries.filter(({ baseName }) => !byBaseName.get(baseName)?.isCredential)
  let selection: Selection = {
    ...defaults,
    canonicalQuery: canonicalQueryOf(linked, maxLinkedLength),
  }
  for (const [parameter, entries] of byParameter) {
    const result = parameter.read(entries)
    if (result.kind === 'accepted') selection = withChange(selection, result.change)
    else problems.push(...result.problems)
  }
  refuseAll(problems)
  return selection
}

/** An item must satisfy the conditions of all parameters. */
function withChange(
  selection: Selection,
  { condition = always, ...change }: Partial<Selection>,
): Selection {
  return { ...selection, ...change, condition: andAlso(selection.condition, condition) }
}

function canonicalQueryOf(
  entries: readonly QueryParameterEntry[],
  maxLength: number,
): CanonicalQuery | undefined {
  const format = (selected: readonly QueryParameterEntry[]) =>
    formatQuery(selected.map(({ key, value }) => [key, value]))
  const complete = format(entries)
  if (complete.length > maxLength) return undefined
  return {
    complete,
    withoutPage: format(entries.filter(({ baseName }) => baseName !== 'page')),
  }
}

function unknownParameter(
  { key, baseName }: QueryParameterEntry,
  allowed: readonly string[],
  problemCount: number,
): Problem {
  const statement = unknownParameterStatement(key)
  const detail = unknownName(statement, baseName, allowed, { problemCount }) + optionHint(baseName)
  return problem('unknown-parameter', detail, { parameter: key })
}

function repeatedParameter({ key }: QueryParameterEntry, parameter: QueryParameter): Problem {
  return problem(
    'repeated-parameter',
    `'${truncate(key)}' appears more than once. ${severalValues(key, parameter)}`,
    { parameter: key },
  )
}

function severalValues(key: string, { describe }: QueryParameter): string {
  if (key.startsWith('filterGroups'))
    return "Use '[in]' for several values, as in filterGroups[count][in]=1,2."
  if (key.startsWith('filter'))
    return "Use '[in]' for several values, as in filter[title][in]=Dune,Emma."
  const isSingle =
    key.startsWith('page') ||
    describe().some(({ name, style }) => name === key && style === 'plain')
  return isSingle ? 'Send it once.' : 'Separate several values by commas.'
}
