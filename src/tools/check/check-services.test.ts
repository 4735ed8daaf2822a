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

  it('shows that its requests have headers, and no value that may be a credential', async () => {
    const request = { method: 'GET', requestTarget: '/books', headers: { accept: '*/*' } }
    const raw = 'GET /books HTTP/1.1\r\nx-version: 2\r\n\r\n'
    const message = 'Unknown token s3cret-of-admin; expected version 2.'
    const check = vi.fn(async () => ({
      ...(await checkWith(9)({}, base)),
      findings: [
        { kind: 'server-error' as const, subject: 'getBooks', message, request },
        {
          kind: 'server-error' as const,
          subject: 'getBooks',
          message,
          request: { ...request, raw },
        },
      ],
    }))
    const headers = {
      authorization: 'Bearer s3cret-of-admin',
      'x-version': '2',
      'accept-language': 'de',
      'x-empty': '',
    }
    const texts: string[] = []
    await checkServices(check, services.slice(0, 1), { headers }, (text) => texts.push(text))
    const [text] = texts
    expect(text).toContain(
      "-H 'accept-language: de' -H 'x-empty;' -H 'authorization: Bearer <authorization>' -H 'x-version: <x-version>' -H 'accept: */*'",
    )
    expect(text).toContain('Unknown token <authorization>; expected version 2.')
    expect(text).toMatch(/printf '.*x-version: \\074x-version\\076/)
    expect(text).not.toContain('s3cret')
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
