import { maxReportedProblems } from './max-reported-problems.ts'
import { findNearestName } from './nearest-name.ts'

/** How an unknown name is reported. */
interface UnknownNameOptions {
  /** Formats a name as its users write it: `page[size]`. */
  readonly format?: (name: string) => string
  /** What the allowed names stand for: `the names that it hides`. */
  readonly description?: string
  /** The problems before this one. A response lists no more than some, so others need no help. */
  readonly problemCount?: number
  /** Names that are suggested where one was probably meant, but not listed. */
  readonly unlisted?: readonly string[] | undefined
}

/**
 * Says that a name is unknown, and which one was probably meant, or else which names are allowed.
 *
 * ```ts
 * unknownName("Unknown field 'titel'", 'titel', ['title']) // "… 'titel'. Did you mean 'title'?"
 * unknownName("Unknown field 'x'", 'x', ['title', 'price']) // "…; expected one of title, price."
 * ```
 *
 * @param statement without its full stop
 * @param allowed names that the reader may use here: none that is hidden
 */
export function unknownName(
  statement: string,
  name: string,
  allowed: readonly string[],
  { format = String, description, problemCount = 0, unlisted = [] }: UnknownNameOptions = {},
): string {
  if (problemCount >= maxReportedProblems) return `${statement}.`
  const nearest = findNearestName(name, [...allowed, ...unlisted])
  if (nearest !== undefined) return `${statement}. Did you mean '${format(nearest)}'?`
  const [only, ...others] = allowed.map(format)
  const names = listNames(allowed.map(format))
  if (description !== undefined) return `${statement}; expected one of ${description}: ${names}.`
  if (only !== undefined && others.length === 0) return `${statement}; expected '${only}'.`
  return `${statement}; expected ${only === undefined ? 'none' : `one of ${names}`}.`
}

const maxListedNames = 40

/** The names in one line; the number of those that are too many for it. */
export function listNames(names: readonly string[]): string {
  if (names.length === 0) return 'none'
  const omittedCount = names.length - maxListedNames
  const listed = names.slice(0, maxListedNames).join(', ')
  return omittedCount > 0 ? `${listed} and ${omittedCount} more` : listed
}
