import type { ModelDescription } from '../model/model-description.ts'
import type { Store } from '../store/store.ts'
import { StoreUnavailable } from '../store/store-failures.ts'
import { checkStoredValues } from './check-stored-values.ts'

/**
 * Checks stored values beside the requests, and warns of those that do not fit.
 * @returns ends the check; the next start begins it again
 */
export function checkInBackground(
  store: Store,
  models: readonly ModelDescription[],
  report: (error: unknown) => void,
): () => Promise<void> {
  const checking = new AbortController()
  const checked = checkStoredValues(store, models, {
    signal: checking.signal,
    warn: (message) => process.emitWarning(message, { code: 'RESOURCERY_STORED_VALUES' }),
  }).catch((error: unknown) => {
    const isOver = checking.signal.aborted || error instanceof StoreUnavailable
    if (!isOver) report(error)
  })
  return () => {
    checking.abort()
    return checked
  }
}
