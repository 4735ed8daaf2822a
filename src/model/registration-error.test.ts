import { expect, it } from 'vitest'
import { RegistrationError } from './registration-error.ts'

it.each([
  ['prepare() expects a model.', 'prepare() expects a model.'],
  ['the action is unknown.', 'The action is unknown.'],
])('keeps the case of code at the start of a message: %s', (message, expected) => {
  expect(new RegistrationError(message).message).toBe(expected)
})
