const signals = { SIGINT: 2, SIGTERM: 15 } as const

/**
 * Closes the server on SIGTERM or SIGINT, and exits the process at once on a second signal. Returns
 * a function that removes the listeners.
 *
 * ```ts
 * closeOnSignals(await serve(router, { port: 3000 }))
 * ```
 */
export function closeOnSignals(server: { close(): Promise<void> }): () => void {
  let closing = false
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
  return off

  function off(): void {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal)
  }

  function onSignal(signal: keyof typeof signals): void {
    if (closing) process.exit(128 + signals[signal])
    closing = true
    server.close().then(off, (error: unknown) => {
      console.error(error)
      process.exit(1)
    })
  }
}
