/** Does the work for each of them, for at most so many at once. */
export async function atMostAtOnce<T>(
  count: number,
  values: readonly T[],
  work: (value: T) => Promise<unknown>,
): Promise<void> {
  const left = values.values()
  const worker = async () => {
    for (const value of left) await work(value)
  }
  await Promise.all(Array.from({ length: count }, worker))
}
