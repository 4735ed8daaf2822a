/** Larger numbers are seldom, and each would stay in memory. */
const maxMemoizedCount = 20

/** Makes a value for each small number once. */
export function memoizeCount<T>(make: (count: number) => T): (count: number) => T {
  const known: T[] = []
  return (count) => {
    if (count > maxMemoizedCount) return make(count)
    known[count] ??= make(count)
    return known[count]
  }
}
