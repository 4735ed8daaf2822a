import { expect, it } from 'vitest'
import { refuse } from './api-error.ts'
import type { ErrorCode } from './catalog.ts'
import { problem } from './problem.ts'

it('refuses an error code that the catalog does not have', () => {
  const code = 'unauthorised' as ErrorCode
  expect(() => refuse(code, 'Sign in first.')).toThrow(
    new TypeError("Unknown error code 'unauthorised'. Did you mean 'unauthorized'?"),
  )
})

it('refuses a status in place of a code', () => {
  const status = 403 as unknown as ErrorCode
  expect(() => refuse(status, 'Not yours.')).toThrow(
    new TypeError("refuse() expects a code such as 'forbidden'; got 403."),
  )
  expect(() => problem(status, 'Not yours.')).toThrow(
    new TypeError("Expected an error code such as 'forbidden'; got 403."),
  )
})
