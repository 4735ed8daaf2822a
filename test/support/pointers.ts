import { expect } from 'vitest'
import { type ClientResponse, resolve } from './client.ts'

/** Expects that every pointer of an error exists in the request body. */
export function expectPointersInto(document: unknown, { errors }: ClientResponse): void {
  for (const { source } of errors) {
    if (source?.pointer === undefined) continue
    expect(
      resolve(document, source.pointer),
      `'${source.pointer}' leads nowhere`,
    ).not.toBeUndefined()
  }
}
