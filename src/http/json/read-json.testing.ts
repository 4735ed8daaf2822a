import { expect } from 'vitest'
import { ApiError } from '../../error/api-error.ts'
import type { Problem } from '../../error/problem.ts'
import { readJson } from './read-json.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
export const read = (text: string) => readJson(bytesOf(text))

/** The problems of a body; none if it is valid. */
export function problemsOf(body: string | Uint8Array): readonly Problem[] {
  try {
    readJson(typeof body === 'string' ? bytesOf(body) : body)
  } catch (error) {
    if (error instanceof ApiError) return error.problems
    throw error
  }
  return []
}

export const codesOf = (body: string | Uint8Array) => problemsOf(body).map(({ code }) => code)

/** The pointers of the problems of a text. */
export function pointersOf(text: string): (string | undefined)[] {
  return problemsOf(text).map(({ code, source }) => {
    expect(code).toBe('malformed-json')
    return source && 'pointer' in source ? source.pointer : undefined
  })
}
