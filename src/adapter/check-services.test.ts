import { expect, test } from 'vitest'
import { respond } from '../http/api-response.ts'
import { checkServices } from './check-services.ts'
import { healthPathsOf, resolveHealth } from './health/health-options.ts'
import type { Service } from './service.ts'

const service = (basePath: string): Service => ({ basePath, respond: async () => respond(200) })
const check =
  (...services: readonly unknown[]) =>
  () =>
    checkServices(services as readonly Service[], 'serve()', healthPathsOf(resolveHealth()))

test('services that would hide one another, or have no proper path, are refused', () => {
  expect(check(service('/api'), service('/api/'))).toThrow("have the same base path '/api'")
  expect(check(service('api'))).toThrow("'/api'")
  expect(check(service('/api'), service(''), service('/api/v2'))).not.toThrow()
})

test('what is no service is refused in a sentence', () => {
  for (const wrong of [null, {}, class Book {}, { basePath: '/api' }, 5])
    expect(check(wrong)).toThrow(/^A service must have a 'basePath' and a function 'respond'/)
  expect(check()).toThrow('Expected at least one service in serve(), such as a router.')
})

test('dependencies that cannot be asked are refused in a sentence', () => {
  const withDependencies = (dependencies: unknown) => ({ ...service('/api'), dependencies })
  for (const wrong of [5, null, 'mail', [{ name: 'mail' }], [{ check: async () => {} }], [null]])
    expect(check(withDependencies(wrong))).toThrow(
      "The 'dependencies' of the service at '/api' must be a list of objects with a 'name' and a function 'check': [{ name: 'mail'",
    )
  expect(check(withDependencies([{ name: 'mail', check: async () => {} }]))).not.toThrow()
})

test('all faults are found at once', () => {
  expect(check(null, service('api'))).toThrow(/^A service must have .*\nThe base path 'api'/)
  expect(check(service('/livez'), service('/readyz/'), service('/a'), service('/a'))).toThrow(
    /^Two services .*\nThe service at '\/livez' .*\nThe service at '\/readyz' /,
  )
})
