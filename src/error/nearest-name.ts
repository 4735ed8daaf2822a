/**
 * Finds the name that was probably meant, for "Did you mean …?". Case is ignored.
 *
 * ```ts
 * findNearestName('maxByte', ['maxBytes', 'types']) // 'maxBytes'
 * ```
 */
export function findNearestName(name: string, candidates: readonly string[]): string | undefined {
  // A longer name is unlikely to be a typing error, and is slow to compare.
  if (name === '' || name.length > maxNameLength) return undefined
  const typed = name.toLowerCase()
  const maxDistance = Math.max(1, Math.floor(name.length / 3))
  const [nearest] = candidates
    .slice(0, maxCandidates)
    .map((candidate) => ({
      candidate,
      distance: editDistance(typed, candidate.toLowerCase(), maxDistance),
    }))
    .filter(
      ({ candidate, distance }) =>
        distance <= maxDistance || candidate.toLowerCase().startsWith(typed),
    )
    .sort((a, b) => a.distance - b.distance)
  return nearest?.candidate
}

const maxNameLength = 40

/** Hundreds of long names that are alike take milliseconds to compare. */
const maxCandidates = 200

/**
 * The Damerau-Levenshtein distance: letters added, removed, replaced or swapped. It is infinite if
 * it exceeds the maximum, because most names are far apart, and bodies have many names.
 */
function editDistance(from: string, to: string, max: number): number {
  if (Math.abs(from.length - to.length) > max) return Number.POSITIVE_INFINITY
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      let distance = Math.min(
        last[column]! + 1,
        current[column - 1]! + 1,
        last[column - 1]! + (isSame ? 0 : 1),
      )
      const isSwapped =
        row > 1 &&
        column > 1 &&
        from[row - 1] === to[column - 2] &&
        from[row - 2] === to[column - 1]
      if (isSwapped) distance = Math.min(distance, beforeLast[column - 2]! + 1)
      current.push(distance)
    }
    beforeLast = last
    last = current
    if (Math.min(...beforeLast, ...last) > max) return Number.POSITIVE_INFINITY
  }
  return last[to.length]!
}
