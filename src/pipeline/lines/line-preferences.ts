import { refuseAll } from '../../error/api-error.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { listNames } from '../../error/unknown-name.ts'
import type { RequestHeaders } from '../../http/api-request.ts'
import { parsePrefer } from '../../http/headers/prefer.ts'

export const linePreferenceErrors = ['invalid-preference'] as const

const { problem } = refusalsOf(linePreferenceErrors)

/** How the lines of a body are carried out (`Prefer`, RFC 7240). */
export interface LinePreferences {
  /** Are all lines carried out or none, in one transaction? */
  readonly isStrict: boolean
  /** Do lines update items that exist already? */
  readonly mergesDuplicates: boolean
  /** Is everything undone? */
  readonly isDryRun: boolean
  /** Does the response only have lines that failed? */
  readonly isMinimal: boolean
  /** The value of `Preference-Applied`; undefined where the request prefers nothing. */
  readonly applied: string | undefined
}

/** All values of the preferences that lines know. The first one is the default. */
const known = {
  handling: ['lenient', 'strict'],
  resolution: ['refuse-duplicates', 'merge-duplicates'],
  tx: ['commit', 'rollback'],
  return: ['representation', 'minimal'],
} as const

type Name = keyof typeof known

/**
 * Reads the preferences of a request. Unknown ones are ignored; a wrong value of a known one is an
 * error, because a misspelled dry run would write.
 * @throws ApiError `invalid-preference`
 */
export function linePreferences({ prefer }: RequestHeaders): LinePreferences {
  const sent = parsePrefer(prefer ?? '')
  const problems = (Object.keys(known) as Name[]).flatMap((name) => {
    const detail = valueProblem(name, new Set(sent.get(name)))
    return detail ? [problem('invalid-preference', detail, { header: 'Prefer' })] : []
  })
  refuseAll(problems)
  const is = (name: Name, value: string) => sent.get(name)?.[0] === value
  const applied = (Object.keys(known) as Name[]).flatMap((name) => {
    const value = sent.get(name)?.[0]
    return value === undefined ? [] : [`${name}=${value}`]
  })
  return {
    isStrict: is('handling', 'strict'),
    mergesDuplicates: is('resolution', 'merge-duplicates'),
    isDryRun: is('tx', 'rollback'),
    isMinimal: is('return', 'minimal'),
    applied: applied.length === 0 ? undefined : applied.join(', '),
  }
}

function valueProblem(name: Name, values: ReadonlySet<string>): string | undefined {
  const allowed: readonly string[] = known[name]
  if (values.size > 1)
    return `The preference '${name}' has ${values.size} values; expected one of ${listNames(allowed)}.`
  return [...values].every((value) => allowed.includes(value))
    ? undefined
    : `Unknown value of the preference '${name}'; expected one of ${listNames(allowed)}.`
}
