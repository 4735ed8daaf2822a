/** A program that has closed everything ends at once; sockets may take a moment. */
const exitAfterMs = 1_000

/** Calls the function one second later, if timers or sockets of the program still keep it running. */
export function exitSoon(exit: () => void): void {
  setTimeout(exit, exitAfterMs).unref()
}
