import { expect } from 'vitest'
import type { DocumentResponse, ErrorObject } from './document-client.ts'

/** The answer failed with this status, and one of its errors has it with this source. */
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

/** The write was done: with a document, or with nothing to add. */
export function expectDone(response: DocumentResponse): void {
  expect([200, 204], response.text).toContain(response.status)
}
