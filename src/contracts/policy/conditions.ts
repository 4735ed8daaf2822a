import { expect } from 'vitest'
import type { PolicyService, PolicySuite } from './harness.ts'
import { bookOf } from './writing.ts'

export function conditions(suite: PolicySuite): void {
  suite.alone('responds with 304 to a client that has the current version', async (service) => {
    const get = service.rule('GetItem', 'books')
    const { headers } = await service.send(get, { id: 'dracula' })
    const target = get.path.replace(':id', 'dracula')
    const request = new Request(`http://localhost${target}`, {
      headers: { 'if-none-match': headers.etag! },
    })
    const response = await service.router.handle(request)
    expect([response.status, await response.text()]).toEqual([304, ''])
    expect(response.headers.get('etag')).toBe(headers.etag)
  })

  for (const operation of ['UpdateItem', 'ReplaceItem', 'DeleteItem'] as const) {
    suite.alone(`${operation} holds If-Match against the current version`, async (service) => {
      const rule = service.rule(operation, 'books')
      const { headers } = await service.send(service.rule('GetItem', 'books'), { id: 'dracula' })
      const before = await bookOf(service, 'dracula')
      const stale = await service.send(rule, {
        id: 'dracula',
        headers: { 'if-match': '"other"' },
        document: bodyFor(service, operation),
      })
      expect([stale.status, service.opened.readErrorCodes(stale.document)]).toEqual([
        412,
        ['precondition-failed'],
      ])
      expect(await bookOf(service, 'dracula')).toEqual(before)
      const current = await service.send(rule, {
        id: 'dracula',
        headers: { 'if-match': headers.etag! },
        document: bodyFor(service, operation),
      })
      expect(current.status).toBeLessThan(300)
    })
  }
}

function bodyFor(service: PolicyService, operation: string): unknown {
  if (operation === 'DeleteItem') return undefined
  return service.itemDocument(
    'books',
    'dracula',
    { title: 'Changed', price: 5 },
    { author: 'shelley', genres: [] },
  )
}
