import { expect, it, vi } from 'vitest'
import { inheritedVariable } from './inherited-variable.ts'

it('is read once, by whatever copy of the package, and not inherited further', async () => {
  vi.stubEnv('RESOURCERY_TEST', 'of the parent')
  expect(inheritedVariable('RESOURCERY_TEST')).toBe('of the parent')
  expect(process.env).not.toHaveProperty('RESOURCERY_TEST')
  vi.stubEnv('RESOURCERY_TEST', 'of this process')
  vi.resetModules()
  const copy = await import('./inherited-variable.ts')
  expect(copy.inheritedVariable).not.toBe(inheritedVariable)
  expect(copy.inheritedVariable('RESOURCERY_TEST')).toBe('of the parent')
  vi.unstubAllEnvs()
})

it('is undefined for a variable that is not there', () => {
  expect(inheritedVariable('RESOURCERY_ABSENT')).toBeUndefined()
})
