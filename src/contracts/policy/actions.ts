import { expect } from 'vitest'
import { expectErrors } from './expect-errors.ts'
import type { ActionDocuments, PolicyService, PolicySuite, ReceivedItem } from './harness.ts'

export function actions(suite: PolicySuite): void {
  suite.alone('calls an action, and responds with its output', async (service) => {
    const print = service.rule('ItemMethodApiOperation', 'posters', 'print')
    const { write, read } = actionDocuments(service)
    const called = await service.send(print, { id: 'bats', document: write({ copies: 3 }) })
    expect([called.status, read(called.document)]).toEqual([200, { total: 5 }])
    expect(await posterOf(service)).toMatchObject({ title: 'Bats', printed: 5 })
  })

  suite.alone('responds with the item to an action without an output', async (service) => {
    const retire = service.rule('ItemMethodApiOperation', 'posters', 'retire')
    const called = await service.send(retire, { id: 'bats' })
    expect(called.status).toBe(200)
    const item = service.opened.readItem(called.document)
    expect(item).toMatchObject({ id: 'bats', title: 'Bats (retired)' })
    expect(await posterOf(service)).toEqual(item)
  })

  suite.alone('passes an item to an operation of the service', async (service) => {
    const reprint = service.rule('ItemApiOperation', 'posters', 'reprint')
    const document = actionDocuments(service).write({ copies: 9 })
    const called = await service.send(reprint, { id: 'bats', document })
    expect([called.status, service.opened.readItem(called.document)]).toEqual([
      200,
      expect.objectContaining({ id: 'bats', printed: 9 }),
    ])
  })

  suite.alone('refuses an input that does not match, and changes nothing', async (service) => {
    const print = service.rule('ItemMethodApiOperation', 'posters', 'print')
    const before = await posterOf(service)
    const document = actionDocuments(service).write({ copies: 0 })
    const refused = await service.send(print, { id: 'bats', document })
    expectErrors(service, refused, 422, ['invalid-input'])
    expect(await posterOf(service)).toEqual(before)
    const input = actionDocuments(service).write({ copies: 1 })
    const missing = await service.send(print, { id: 'nothing', document: input })
    expectErrors(service, missing, 404, ['not-found'])
  })

  suite.alone('holds an action to If-Match', async (service) => {
    const retire = service.rule('ItemMethodApiOperation', 'posters', 'retire')
    const get = await service.send(service.rule('GetItem', 'posters'), { id: 'bats' })
    const stale = await service.send(retire, { id: 'bats', headers: { 'if-match': '"other"' } })
    expectErrors(service, stale, 412, ['precondition-failed'])
    const headers = { 'if-match': get.headers.etag! }
    expect((await service.send(retire, { id: 'bats', headers })).status).toBe(200)
  })
}

function actionDocuments({ opened }: PolicyService): ActionDocuments {
  if (opened.action) return opened.action
  throw new Error("The policy has actions, so it needs 'action'.")
}

async function posterOf(service: PolicyService): Promise<ReceivedItem> {
  const { document } = await service.send(service.rule('GetItem', 'posters'), { id: 'bats' })
  return service.opened.readItem(document)
}
