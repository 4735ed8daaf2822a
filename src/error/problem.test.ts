import { expect, it } from 'vitest'
import { refuse } from './api-error.ts'
import type { ErrorCode } from './catalog.ts'

it('refuses an error code that the catalog does not have', () => {
  const code = 'unauthorised' as ErrorCode
  expect(() => refuse(code, 'Sign in first.')).toThrow(
    new TypeError("Unknown error code 'unauthorised'. Did you mean 'unauthorized'?"),
  )
})
