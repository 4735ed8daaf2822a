import { lazy } from '../cache/lazy.ts'
import { findNearestName } from '../error/nearest-name.ts'

/** Names without a region, as `CET`, are none that all stores read alike. */
const names = lazy(() => Intl.supportedValuesOf('timeZone').filter((name) => name.includes('/')))

const maxNameLength = 40

const otherNamesOfUtc: ReadonlySet<string> = new Set(['gmt', 'z', 'zulu'])

/**
 * What a message about a name that is no time zone ends with: the one that was probably meant.
 *
 * ```ts
 * timeZoneHint('Berlin') // " Did you mean 'Europe/Berlin'?"
 * ```
 */
export function timeZoneHint(name: string): string {
  const meant = suggestTimeZone(name)
  return meant === undefined ? '' : ` Did you mean '${meant}'?`
}

function suggestTimeZone(name: string): string | undefined {
  if (name.length > maxNameLength) return undefined
  const typed = name.trim().replaceAll(' ', '_').toLowerCase()
  if (otherNamesOfUtc.has(typed)) return 'UTC'
  const city = cityOf(typed)
  return (
    names().find((each) => cityOf(each.toLowerCase()) === city) ??
    findNearestName(typed, namesOfRegion(typed))
  )
}

function cityOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1)
}

function namesOfRegion(typed: string): readonly string[] {
  const region = typed.slice(0, typed.indexOf('/') + 1)
  return region === '' ? [] : names().filter((each) => each.toLowerCase().startsWith(region))
}
