import { expect } from 'vitest'
import { describedOperations } from '../../tools/check/described-service.ts'
import { type PolicySuite, testedOperations } from './harness.ts'

export function registration(suite: PolicySuite): void {
  suite.alone('has all operations but those that are listed as missing', async (service) => {
    const existing = new Set(service.rules.map(({ operation }) => operation))
    expect(testedOperations.filter((operation) => !existing.has(operation))).toEqual(
      testedOperations.filter((operation) => service.opened.missingOperations.includes(operation)),
    )
  })

  suite.alone('has lists and items of every model', async ({ rules }) => {
    for (const operation of ['GetList', 'GetItem'] as const)
      expect(
        rules
          .filter((rule) => rule.operation === operation && rule.method === 'GET')
          .map(({ view }) => view.model.plural),
      ).toEqual(['authors', 'genres', 'books', 'posters'])
  })

  suite.alone('makes frozen rules, each with a method and path of its own', async ({ rules }) => {
    for (const rule of rules) expect(Object.isFrozen(rule), rule.path).toBe(true)
    const addresses = rules.map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, ':')}`)
    expect(new Set(addresses).size).toBe(addresses.length)
  })

  suite.alone(
    'describes each rule in the OpenAPI document, but those that refuse every request',
    async ({ router, rules }) => {
      const document = router.toOpenApi({
        info: { title: 'Contract', version: '1' },
        // Older versions have no operation for QUERY.
        version: '3.2.0',
      })
      const described = new Set(
        describedOperations(document).map(({ method, path }) => `${method} ${path}`),
      )
      for (const { method, path, isAlwaysRefused } of rules)
        expect(
          described.has(`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`),
          `${method} ${path}`,
        ).toBe(!isAlwaysRefused)
    },
  )

  suite.alone(
    'writes the errors of rules and of unknown paths in one form',
    async ({ opened, rules }) => {
      for (const rule of rules) {
        expect(rule.response.serializer.errorMediaType).toBe(
          opened.policy.serializer.errorMediaType,
        )
      }
    },
  )
}
