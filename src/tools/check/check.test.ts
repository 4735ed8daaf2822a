import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { check } from './check.ts'
import { checked } from './faulty-service.testing.ts'
import { formatReport } from './report-text.ts'
import { thingsDocument } from './things-document.testing.ts'

describe('a contract check', () => {
  it('sends the same requests for the same seed', async () => {
    const [one, other] = [await checked('wrong body'), await checked('wrong body')]
    expect(one.findings.map(({ request }) => request.requestTarget)).toEqual(
      other.findings.map(({ request }) => request.requestTarget),
    )
  })

  it('tells how many requests succeeded, and says so where it was let in nowhere', async () => {
    const { successCount, requestCount } = await checked('wrong body')
    expect(successCount).toBeGreaterThan(0)
    expect(successCount).toBeLessThan(requestCount)
    const closed = createServer((_, response) => response.writeHead(401).end())
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void closed.close())
    const base = new URL(`http://127.0.0.1:${(closed.address() as AddressInfo).port}`)
    const report = await check(thingsDocument, base, { runs: 1 })
    expect(report.successCount).toBe(0)
    expect(formatReport(report, base)).toContain('--header')
  })

  it('refuses a document with a schema that cannot be compiled', async () => {
    const broken = structuredClone(thingsDocument) as { components: { schemas: { Thing: object } } }
    broken.components.schemas.Thing = { type: 'nonsense' }
    await expect(check(broken, new URL('http://127.0.0.1:1'))).rejects.toThrow(/type/)
  })

  it('refuses a document whose schemas are of another kind', async () => {
    await expect(
      check({ ...thingsDocument, openapi: '3.0.4' }, new URL('http://127.0.0.1:1')),
    ).rejects.toThrow('3.1 or 3.2')
  })
})
