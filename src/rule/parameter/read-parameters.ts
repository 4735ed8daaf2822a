import { refuseAll } from '../../error/api-error.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { shortened } from '../../error/shortened.ts'
import { parseQuery, type QueryEntry } from '../../http/query-string.ts'
import type { Parameter } from '../parameter.ts'
import { type Selection, wholeSelection } from '../selection.ts'
import { listed } from './client-path.ts'

/**
 * Compiles the parameters of a rule into the function that reads query strings.
 * The function throws ApiError with every fault of every parameter.
 */
export function parameterReader(parameters: readonly Parameter[]): (query: string) => Selection {
  const byFamily = new Map(parameters.flatMap((parameter) => parameter.families.map((family) => [family, parameter])))
  return (query) => (query === '' ? wholeSelection : select(byFamily, parseQuery(query)))
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
  let selection = wholeSelection
  for (const [parameter, entries] of families) {
    const reading = parameter.read(entries)
    if (reading.kind === 'read') selection = { ...selection, ...reading.change }
    else problems.push(...reading.problems)
  }
  refuseAll(problems)
  return selection
}

function unknownParameter({ key }: QueryEntry, known: readonly string[]): Problem {
  const detail = `There is no parameter '${shortened(key)}' here; ${known.length > 0 ? `there are ${listed(known)}` : 'there are none'}.`
  return problem('unknown-parameter', detail, { parameter: key })
}

function repeated({ key }: QueryEntry): Problem {
  return problem(
    'repeated-parameter',
    `'${shortened(key)}' is given more than once; several values are separated by commas.`,
    { parameter: key },
  )
}
