import { lruCache } from '../cache/lru-cache.ts'

/**
 * Names of the time zone database alone, of which all but UTC have a slash: databases read offsets
 * such as `+01:00` the other way round, and know other abbreviations.
 */
const namePattern = /^(?:UTC|(?!SystemV)[A-Za-z]+(?:\/[\w+-]+)+)$/i

const maxNameLength = 64

/** Making a format takes some 50 µs. */
const known = lruCache<string, boolean>(1_000)

/** Does Node.js know the zone, and do databases read its name alike? */
export function isTimeZone(name: string): boolean {
  if (name.length > maxNameLength || !namePattern.test(name)) return false
  let isKnown = known.get(name)
  if (isKnown === undefined) {
    isKnown = canFormatIn(name)
    known.set(name, isKnown)
  }
  return isKnown
}

function canFormatIn(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return true
  } catch {
    return false
  }
}
