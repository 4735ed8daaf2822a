import type { Pauses } from './pauses.ts'

/** Items that are sorted, or put in order, without a look at whether a pause is due. */
const runLength = 256

/** The items in their order; those that are equal keep theirs. */
export async function sorted<T>(
  items: readonly T[],
  compare: (one: T, other: T) => number,
  pauses: Pauses,
): Promise<readonly T[]> {
  let runs: T[][] = []
  for (let start = 0; start < items.length; start += runLength) {
    runs.push(items.slice(start, start + runLength).sort(compare))
    if (pauses.isDue) await pauses.pause()
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let index = 0; index < runs.length; index += 2) {
      const other = runs[index + 1]
      merged.push(other ? await mergedOf(runs[index]!, other, compare, pauses) : runs[index]!)
    }
    runs = merged
  }
  return runs[0] ?? []
}

async function mergedOf<T>(
  one: readonly T[],
  other: readonly T[],
  compare: (one: T, other: T) => number,
  pauses: Pauses,
): Promise<T[]> {
  const merged: T[] = []
  let next = 0
  for (const item of one) {
    while (next < other.length && compare(other[next]!, item) < 0) {
      merged.push(other[next++]!)
      if (merged.length % runLength === 0 && pauses.isDue) await pauses.pause()
    }
    merged.push(item)
    if (merged.length % runLength === 0 && pauses.isDue) await pauses.pause()
  }
  for (; next < other.length; next++) merged.push(other[next]!)
  return merged
}
