import { METHODS } from 'node:http'
import { ApiError, createApiError } from '../error/api-error.ts'
import { type Problem, problem } from '../error/problem.ts'
import { truncate } from '../error/truncate.ts'

export function unknownMethod(method: string): Problem {
  return problem('method-not-implemented', `Unknown method '${truncate(method, 32)}'.`)
}

/** @param nearestPath the path that was probably meant */
export function unknownPath(path: string, nearestPath?: string): Problem {
  const statement = `Unknown path '${truncate(path, 200)}'.`
  return problem(
    'not-found',
    nearestPath === undefined ? statement : `${statement} Did you mean '${nearestPath}'?`,
  )
}

/** 405 with `Allow`, or 501 for a method that HTTP does not have. */
export function refusedMethod(method: string, allowedMethods: readonly string[]): ApiError {
  if (!METHODS.includes(method)) return new ApiError([unknownMethod(method)])
  const allow = allowedMethods.join(', ')
  // HEAD has the headers of GET, including Content-Length (RFC 9110 §9.3.2).
  const name = method === 'HEAD' ? 'GET' : method
  const detail = `Method '${name}' is not allowed. Allowed methods: ${allow}.`
  return createApiError('method-not-allowed', detail, undefined, { headers: { allow } })
}
