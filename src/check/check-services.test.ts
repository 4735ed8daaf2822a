import { describe, expect, it, vi } from 'vitest'
import type { CheckOptions, CheckReport } from './check.ts'
import { checkServices } from './check-services.ts'
import { openServices } from './open-services.ts'

const base = new URL('http://127.0.0.1:1/')
const services = ['getBooks', 'getOrders'].map((operationId) => ({
  documentAddress: new URL('openapi.json', base),
  base,
  document: {
    openapi: '3.1.0',
    paths: { [`/${operationId}`]: { get: { operationId, responses: {} } } },
  },
}))

function checkWith(successCount: number) {
  return vi.fn(async (_document: object, _base: URL, _options?: CheckOptions) => {
    const report: CheckReport = {
      seed: 1,
      operationCount: 1,
      requestCount: 9,
      successCount,
      limitedCount: 0,
      waitedMs: 0,
      findings: [],
    }
    return report
  })
}

describe('a check of several services', () => {
  it('sends each service only the operations that it has', async () => {
    const check = checkWith(9)
    expect(await checkServices(check, services, { only: ['getOrders'] }, () => {})).toBe(0)
    expect(check.mock.calls).toEqual([[services[1]!.document, base, { only: ['getOrders'] }]])
  })

  it('refuses an operation that no service has', async () => {
    const check = checkWith(9)
    const options = { only: ['getOrders', 'getOrdesr'] }
    await expect(checkServices(check, services, options, () => {})).rejects.toThrow(
      "Unknown operation 'getOrdesr'. Did you mean 'getOrders'?",
    )
    expect(check).not.toHaveBeenCalled()
  })

  it('fails if no request succeeded', async () => {
    expect(await checkServices(checkWith(0), services, {}, () => {})).toBe(1)
  })
})

it('names the address that does not respond, and the cause', async () => {
  await expect(openServices('http://127.0.0.1:1/openapi.json')).rejects.toThrow(
    /^Cannot reach http:\/\/127\.0\.0\.1:1\/openapi\.json: (?!fetch failed)./,
  )
})
