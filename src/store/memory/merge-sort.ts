import type { CallerTimeSlice } from './caller-time-slice.ts'

/** Items that are sorted, or put in order, without a look at whether a pause is due. */
const runLength = 256

/** The items in their order; those that are equal keep theirs. */
export async function mergeSort<T>(
  items: readonly T[],
  compare: (one: T, other: T) => number,
  pauses: CallerTimeSlice,
): Promise<readonly T[]> {
  let runs: T[][] = []
  for (let start = 0; start < items.length; start += runLength) {
    runs.push(items.slice(start, start + runLength).sort(compare))
    if (pauses.isOver) await pauses.yieldToEventLoop()
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let index = 0; index < runs.length; index += 2) {
      const other = runs[index + 1]
      merged.push(other ? await mergeRuns(runs[index]!, other, compare, pauses) : runs[index]!)
    }
    runs = merged
  }
  return runs[0] ?? []
}

async function mergeRuns<T>(
  one: readonly T[],
  other: readonly T[],
  compare: (one: T, other: T) => number,
  pauses: CallerTimeSlice,
): Promise<T[]> {
  const merged: T[] = []
  let next = 0
  for (const item of one) {
    while (next < other.length && compare(other[next]!, item) < 0) {
      merged.push(other[next++]!)
      if (merged.length % runLength === 0 && pauses.isOver) await pauses.yieldToEventLoop()
    }
    merged.push(item)
    if (merged.length % runLength === 0 && pauses.isOver) await pauses.yieldToEventLoop()
  }
  for (; next < other.length; next++) merged.push(other[next]!)
  return merged
}
