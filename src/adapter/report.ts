/** Tells of a fault that the client must not see. */
export type Report = (error: unknown) => void

/** Standard error, unless the host has a better place. A place that fails itself must not take the server with it. */
export function reporter(onError: Report = console.error): Report {
  return (error) => {
    try {
      onError(error)
    } catch (another) {
      console.error(error, another)
    }
  }
}
