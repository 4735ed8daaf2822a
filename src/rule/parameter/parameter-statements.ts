import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { unknownName } from '../../error/unknown-name.ts'

/** The statement about a query parameter that an operation does not have, without a full stop. */
export function unknownParameterStatement(key: string): string {
  return `Unknown query parameter '${truncate(key)}'`
}

/** What takes these parameters, and the options of models by which it does. */
const takersByParameter: ReadonlyMap<string, { readonly takers: string; readonly option: string }> =
  new Map([
    ['withAggregates', { takers: 'lists and groups', option: 'aggregate' }],
    ['withFacets', { takers: 'lists', option: 'aggregate' }],
    ['groupBy', { takers: 'groups', option: 'aggregate' }],
    ['filterGroups', { takers: 'groups', option: 'aggregate' }],
    ['search', { takers: 'lists and groups', option: 'search' }],
    ['withHighlights', { takers: 'lists', option: 'search' }],
  ])

/** Where a parameter that not every list has is known; the same for all models and callers. */
export function optionHint(baseName: string): string {
  const known = takersByParameter.get(baseName)
  return known === undefined
    ? ''
    : ` Only ${known.takers} of models with the option '${known.option}' may take '${baseName}'.`
}

/** The problem of a parameter that has members in brackets, and takes none. */
export function withoutBrackets(key: string): Problem {
  const [base = key] = key.split('[')
  return problem('unknown-parameter', `Write '${truncate(base)}=…' without brackets.`, {
    parameter: key,
  })
}

/** The problem of a member that `page` does not have. */
export function unknownPageMember(
  key: string,
  path: readonly string[],
  members: readonly string[],
): Problem {
  const statement = unknownParameterStatement(key)
  const format = (name: string) => `page[${name}]`
  const detail = unknownName(statement, path.join('.'), members, { format })
  return problem('unknown-parameter', detail, { parameter: key })
}
