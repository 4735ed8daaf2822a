import { expect } from 'vitest'
import { type ClientResponse, resolve } from './client.ts'

/** Every fault that points into the body points at something that was sent. */
export function expectPointersInto(document: unknown, { errors }: ClientResponse): void {
  for (const { source } of errors) {
    if (source?.pointer === undefined) continue
    expect(
      resolve(document, source.pointer),
      `'${source.pointer}' leads nowhere`,
    ).not.toBeUndefined()
  }
}
