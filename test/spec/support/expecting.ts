import { expect } from 'vitest'
import type { DocumentResponse, ErrorObject } from './document-client.ts'

/** Expects an error response with this status, and one error with this status and source. */
export function expectError(
  response: DocumentResponse,
  status: number,
  source: ErrorObject['source'] = {},
): void {
  expect(response.status, response.text).toBe(status)
  expect(response.errors, response.text).toContainEqual(
    expect.objectContaining({
      status: String(status),
      ...(Object.keys(source).length > 0 && { source: expect.objectContaining(source) }),
    }),
  )
}

/** Expects a successful write, with a document or without. */
export function expectDone(response: DocumentResponse): void {
  expect([200, 204], response.text).toContain(response.status)
}
