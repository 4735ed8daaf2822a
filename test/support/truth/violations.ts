import { expect } from 'vitest'

const reported = new Set<string>()

/** Fails the current test at its end. */
export function reportViolation(violation: string): void {
  reported.add(violation)
}

/** For the end of a test. */
export function expectNoViolations(): void {
  const violations = [...reported]
  reported.clear()
  expect(violations, 'the document or the specification says otherwise').toEqual([])
}
