import { expect } from 'vitest'
import type { Answer, ErrorObject } from './document-client.ts'

/** The answer failed with this status, and one of its errors has it with this source. */
export function expectError(
  answer: Answer,
  status: number,
  source: ErrorObject['source'] = {},
): void {
  expect(answer.status, answer.text).toBe(status)
  expect(answer.errors, answer.text).toContainEqual(
    expect.objectContaining({
      status: String(status),
      ...(Object.keys(source).length > 0 && { source: expect.objectContaining(source) }),
    }),
  )
}

/** The write was done: with a document, or with nothing to add. */
export function expectDone(answer: Answer): void {
  expect([200, 204], answer.text).toContain(answer.status)
}
