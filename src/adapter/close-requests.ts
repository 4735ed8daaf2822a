const closers = new Set<() => void>()

/**
 * Registers what closes the program, for where it is asked to otherwise than by a signal.
 * @returns removes it
 */
export function onCloseRequest(close: () => void): () => void {
  closers.add(close)
  return () => void closers.delete(close)
}

/** @returns whether anything closes the program */
export function requestClose(): boolean {
  for (const close of closers) close()
  return closers.size > 0
}
