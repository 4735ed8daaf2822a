import { ApiError } from '../error/api-error.ts'
import { problem } from '../error/problem.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { closeBody } from '../http/close-body.ts'
import { pointer } from '../http/json-pointer.ts'
import type { Call } from './batch-calls.ts'
import { located } from './located.ts'

/** What the work of an operation throws is told as an error of its batch. */
export async function attempt<T>(operation: Call['operation'], work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw located(error, operation)
  }
}

/** @throws ApiError in place of the answer that middleware made, which is not sent */
export async function refuseAnswered(response: ApiResponse, { steps }: Call['operation']): Promise<never> {
  await closeBody(response.body)
  throw notAdmitted(response, pointer(steps))
}

/** The answer that middleware made is for a request alone: of it the batch takes over the status, and what does not describe its body. */
function notAdmitted({ status, headers }: ApiResponse, pointer: string): ApiError {
  const isError = status >= 400 && status <= 599
  const detail = isError
    ? `The operation was refused with the status ${status} before it began, so nothing of the batch was done.`
    : 'The operation was answered before it began, which a batch cannot tell; send it by itself.'
  const told = problem('operation-refused', detail, { pointer })
  const kept = Object.entries(headers).filter(([name]) => !describesBody.test(name))
  return new ApiError([isError ? { ...told, status } : told], Object.fromEntries(kept))
}

const describesBody = /^(?:content-.*|transfer-encoding|etag|last-modified|location|vary)$/i
