import { availableParallelism } from 'node:os'
import { RegistrationError } from '../../model/registration-error.ts'

/** More processes than this on one machine are a mistake. */
const maxWorkers = 1_024

/**
 * How many workers `serve` starts; undefined for none.
 * @throws RegistrationError for what is no such number
 */
export function countOfWorkers(workers: unknown): number | undefined {
  if (workers === undefined) return undefined
  if (workers === 'auto') return availableParallelism()
  if (Number.isSafeInteger(workers) && Number(workers) >= 1 && Number(workers) <= maxWorkers)
    return Number(workers)
  const value = typeof workers === 'string' ? `'${workers}'` : String(workers)
  throw new RegistrationError(
    `The option 'workers' of serve() must be 'auto' or an integer from 1 to ${maxWorkers}; got ${value}.`,
  )
}
