import { StoreClosed } from '../store/store-failures.ts'

/**
 * What work beside requests does with an error: it reports it, and ends without a report once the
 * store is closed, which another router may have done for all that share it.
 */
export function reportOrEnd(
  onError: (error: unknown) => void,
  end: () => void,
): (error: unknown) => void {
  return (error) => {
    if (error instanceof StoreClosed) end()
    else onError(error)
  }
}
