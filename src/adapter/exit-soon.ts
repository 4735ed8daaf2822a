/** A program that has closed everything ends at once; sockets may take a moment. */
const exitAfterMs = 1_000

/** Calls the function one second later, if timers or sockets still keep the program running. */
export function exitSoon(exit: () => void): void {
  setTimeout(exit, exitAfterMs).unref()
}
