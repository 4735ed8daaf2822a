import { refusalsOf } from '../../error/refusals.ts'
import { storedResultErrors } from './repeatable-errors.ts'

const { refuse } = refusalsOf(storedResultErrors)

/** @throws ApiError `response-not-kept` */
export function refuseLost(reason: string): never {
  throw refuse(
    'response-not-kept',
    `The first request with this Idempotency-Key has been carried out. ${reason}`,
    { header: 'Idempotency-Key' },
  )
}
