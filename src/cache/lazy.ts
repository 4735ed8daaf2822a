/**
 * Computes a value on the first call and keeps it. If computing it throws, the next call retries.
 */
export function lazy<T>(compute: () => T): () => T {
  let computed: { readonly value: T } | undefined
  return () => {
    computed ??= { value: compute() }
    return computed.value
  }
}
