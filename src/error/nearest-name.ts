/**
 * The name that was probably meant: the nearest one, if it is near. Upper and lower case count as
 * alike.
 *
 * ```ts
 * nearest('maxByte', ['maxBytes', 'types']) // 'maxBytes'
 * ```
 */
export function findNearestName(name: string, known: readonly string[]): string | undefined {
  // Longer ones are no slips of the finger, and would take long to compare.
  if (name === '' || name.length > maxNameLength) return undefined
  const most = Math.max(1, Math.floor(name.length / 3))
  const near = known
    .map((one) => ({ one, distance: editDistance(name.toLowerCase(), one.toLowerCase()) }))
    .filter(
      ({ one, distance }) => distance <= most || one.toLowerCase().startsWith(name.toLowerCase()),
    )
  return near.sort((a, b) => a.distance - b.distance)[0]?.one
}

const maxNameLength = 64

/** How many letters have to be added, removed, replaced, or swapped with the next one. */
function editDistance(from: string, to: string): number {
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
  }
  return last[to.length]!
}
