import { expect } from 'vitest'
import { expectErrors } from './expect-errors.ts'
import type { ContractResponse, PolicyService, PolicySuite } from './harness.ts'

const content = 'Bats over Whitby'

export function resources(suite: PolicySuite): void {
  suite.alone('stores the bytes of a resource, and responds with the item', async (service) => {
    const set = await setScan(service)
    expect(set.status).toBe(200)
    const item = service.opened.readItem(set.document)
    expect(item).toMatchObject({ id: 'bats', title: 'Bats' })
    const get = await service.send(service.rule('GetItem', 'posters'), { id: 'bats' })
    expect(service.opened.readItem(get.document)).toEqual(item)
    expect(get.headers.etag).toBe(set.headers.etag)
  })

  suite.alone('returns the bytes of a resource, whole and in part', async (service) => {
    await setScan(service)
    const get = service.rule('GetResource', 'posters', 'scan')
    const whole = await service.send(get, { id: 'bats' })
    expect([whole.status, whole.text]).toEqual([200, content])
    expect(whole.headers['content-type']).toMatch(/^text\/plain\b/)
    const part = await service.send(get, { id: 'bats', headers: { range: 'bytes=0-3' } })
    expect([part.status, part.text]).toEqual([206, 'Bats'])
    const current = { 'if-none-match': whole.headers.etag! }
    const unchanged = await service.send(get, { id: 'bats', headers: current })
    expect([unchanged.status, unchanged.text]).toEqual([304, ''])
  })

  suite.alone('deletes a resource', async (service) => {
    await setScan(service)
    const deleted = await service.send(service.rule('DeleteResource', 'posters', 'scan'), {
      id: 'bats',
    })
    expect([200, 204]).toContain(deleted.status)
    const get = service.rule('GetResource', 'posters', 'scan')
    expectErrors(service, await service.send(get, { id: 'bats' }), 404, ['not-found'])
  })

  suite.alone('refuses a resource of another type, and keeps the old one', async (service) => {
    await setScan(service)
    const refused = await setScan(service, { text: '%PDF-1.7', type: 'application/pdf' })
    expectErrors(service, refused, 415, ['unsupported-media-type'])
    const get = service.rule('GetResource', 'posters', 'scan')
    expect((await service.send(get, { id: 'bats' })).text).toBe(content)
  })

  suite.alone('finds no resource of an item that does not exist', async (service) => {
    for (const operation of ['GetResource', 'DeleteResource'] as const) {
      const rule = service.rule(operation, 'posters', 'scan')
      expectErrors(service, await service.send(rule, { id: 'nothing' }), 404, ['not-found'])
    }
  })
}

function setScan(
  service: PolicyService,
  { text, type } = { text: content, type: 'text/plain' },
): Promise<ContractResponse> {
  const headers = { 'content-type': type }
  return service.send(service.rule('SetResource', 'posters', 'scan'), { id: 'bats', text, headers })
}
