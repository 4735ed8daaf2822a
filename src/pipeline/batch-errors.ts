import { ApiError } from '../error/api-error.ts'
import { problem } from '../error/problem.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { closeBody } from '../http/close-body.ts'
import { formatPointer } from '../http/json/json-pointer.ts'
import type { BatchCall } from './batch-calls.ts'
import { inBatchDocument } from './batch-error-source.ts'

/** What the work of an operation throws is told as an error of its batch. */
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

/** @throws ApiError in place of the answer that middleware made, which is not sent */
export async function refuseHookResponse(
  response: ApiResponse,
  { steps }: BatchCall['operation'],
): Promise<never> {
  await closeBody(response.body)
  throw operationRefused(response, formatPointer(steps))
}

/**
 * The answer that middleware made is for a request alone: of it the batch takes over the status,
 * and what does not describe its body.
 */
function operationRefused({ status, headers }: ApiResponse, pointer: string): ApiError {
  const isError = status >= 400 && status <= 599
  const detail = isError
    ? `The operation was refused with the status ${status} before it began, so nothing of the batch was done.`
    : 'The operation was answered before it began, which a batch cannot tell; send it by itself.'
  const told = problem('operation-refused', detail, { pointer })
  const kept = Object.entries(headers).filter(([name]) => !bodyHeaderPattern.test(name))
  return new ApiError([isError ? { ...told, status } : told], Object.fromEntries(kept))
}

const bodyHeaderPattern = /^(?:content-.*|transfer-encoding|etag|last-modified|location|vary)$/i
