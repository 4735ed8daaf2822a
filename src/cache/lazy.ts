/**
 * Makes a value when it is first asked for, and keeps it; where making it fails, it is tried again.
 */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
