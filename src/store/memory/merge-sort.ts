import type { TimeSlice } from '../../concurrency/time-slice.ts'

/** How many items are sorted or merged before the time is checked. */
const runLength = 256

/** Sorts the items, and yields to the event loop meanwhile. The sort is stable. */
export async function mergeSort<T>(
  items: readonly T[],
  compare: (one: T, other: T) => number,
  slice: TimeSlice,
): Promise<readonly T[]> {
  let runs: T[][] = []
  for (let start = 0; start < items.length; start += runLength) {
    runs.push(items.slice(start, start + runLength).sort(compare))
    if (slice.isOver) await slice.yieldToEventLoop()
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let index = 0; index < runs.length; index += 2) {
      const other = runs[index + 1]
      merged.push(other ? await mergeRuns(runs[index]!, other, compare, slice) : runs[index]!)
    }
    runs = merged
  }
  return runs[0] ?? []
}

async function mergeRuns<T>(
  one: readonly T[],
  other: readonly T[],
  compare: (one: T, other: T) => number,
  slice: TimeSlice,
): Promise<T[]> {
  const merged: T[] = []
  let next = 0
  for (const item of one) {
    while (next < other.length && compare(other[next]!, item) < 0) {
      merged.push(other[next++]!)
      if (merged.length % runLength === 0 && slice.isOver) await slice.yieldToEventLoop()
    }
    merged.push(item)
    if (merged.length % runLength === 0 && slice.isOver) await slice.yieldToEventLoop()
  }
  for (; next < other.length; next++) merged.push(other[next]!)
  return merged
}
