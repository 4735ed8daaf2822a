import { ApiError } from '../error/api-error.ts'
import { refusalsOf } from '../error/refusals.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { closeBody } from '../http/close-body.ts'
import { formatPointer } from '../http/json/json-pointer.ts'
import type { BatchCall } from './batch-calls.ts'
import { inBatchDocument } from './batch-error-source.ts'

export const hookResponseErrors = ['operation-refused'] as const

const { problem } = refusalsOf(hookResponseErrors)

/** Errors of the work point into the batch document. */
export async function withBatchErrors<T>(
  operation: BatchCall['operation'],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw inBatchDocument(error, operation)
  }
}

/** @throws ApiError instead of the hook's response, which is not sent */
export async function refuseHookResponse(
  response: ApiResponse,
  { steps }: BatchCall['operation'],
): Promise<never> {
  await closeBody(response.body)
  throw operationRefused(response, formatPointer(steps))
}

/** Takes over the status of the response, and the headers that do not describe its body. */
function operationRefused({ status, headers }: ApiResponse, pointer: string): ApiError {
  const isError = status >= 400 && status <= 599
  const detail = isError
    ? `Middleware refused the operation with status ${status}. No operation of the batch was executed.`
    : 'Middleware sent its own response for the operation, which a batch cannot return. Send the operation as a single request.'
  const refusal = problem('operation-refused', detail, { pointer })
  const otherHeaders = Object.entries(headers).filter(([name]) => !bodyHeaderPattern.test(name))
  return new ApiError(
    [isError ? { ...refusal, status } : refusal],
    Object.fromEntries(otherHeaders),
  )
}

const bodyHeaderPattern = /^(?:content-.*|transfer-encoding|etag|last-modified|location|vary)$/i
