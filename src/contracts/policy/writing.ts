import { expect } from 'vitest'
import type { PolicyService, PolicySuite, ReceivedItem } from './harness.ts'

const relations = { author: 'shelley', genres: ['horror', 'classic'] }

export function writing(suite: PolicySuite): void {
  suite.alone('creates an item, and says where it is', async (service) => {
    const created = await service.send(service.rule('CreateItem', 'books'), {
      document: service.itemDocument('books', undefined, { title: 'Dune', price: 9.5 }, relations),
    })
    expect(created.status).toBe(201)
    const item = service.opened.readItem(created.document)
    expect(item).toMatchObject({ title: 'Dune', price: 9.5, ...relations })
    const found = await service.sendRaw('GET', created.headers.location!)
    expect(service.opened.readItem(found.document)).toEqual(item)
    expect(found.headers.etag).toBe(created.headers.etag)
  })

  suite.alone('creates an item with the id of the client, but not twice', async (service) => {
    const create = service.rule('CreateItem', 'genres')
    const document = service.itemDocument('genres', 'crime', { name: 'Crime' })
    const first = await service.send(create, { document })
    expect([first.status, service.opened.readItem(first.document)]).toEqual([
      201,
      { id: 'crime', name: 'Crime' },
    ])
    expect((await service.send(create, { document })).status).toBe(409)
  })

  suite.alone('changes only the members that the request has', async (service) => {
    const before = await bookOf(service, 'dracula')
    const patched = await service.send(service.rule('UpdateItem', 'books'), {
      id: 'dracula',
      document: service.itemDocument('books', 'dracula', { price: 7, note: null }),
    })
    expect(patched.status).toBe(200)
    const { note: _, hash: _hash, ...kept } = before
    const after = service.opened.readItem(patched.document)
    expect(after).toMatchObject({ ...kept, price: 7 })
    expect(after).not.toHaveProperty('note')
    expect(await bookOf(service, 'dracula')).toEqual(after)
  })

  suite.alone('replaces an item', async (service) => {
    const replaced = await service.send(service.rule('ReplaceItem', 'books'), {
      id: 'dracula',
      document: service.itemDocument('books', 'dracula', { title: 'New', price: 0 }, relations),
    })
    expect(replaced.status).toBe(200)
    const item = service.opened.readItem(replaced.document)
    expect(item).toMatchObject({ id: 'dracula', title: 'New', price: 0, ...relations })
    expect(item).not.toHaveProperty('note')
    expect(item).not.toHaveProperty('pages')
  })

  suite.alone('deletes an item', async (service) => {
    const remove = service.rule('DeleteItem', 'books')
    const get = service.rule('GetItem', 'books')
    const removed = await service.send(remove, { id: 'dracula' })
    expect([204, 200]).toContain(removed.status)
    expect((await service.send(get, { id: 'dracula' })).status).toBe(404)
    expect((await service.send(remove, { id: 'dracula' })).status).toBe(404)
  })

  suite.alone('accepts back what it sent', async (service) => {
    const item = await bookOf(service, 'frankenstein')
    const { id: _, author, genres, ...values } = item
    const document = service.itemDocument('books', 'frankenstein', values, {
      author: author as string,
      genres: genres as readonly string[],
    })
    for (const operation of ['UpdateItem', 'ReplaceItem'] as const) {
      if (service.opened.missingOperations.includes(operation)) continue
      const rule = service.rule(operation, 'books')
      const { status } = await service.send(rule, { id: 'frankenstein', document })
      expect([operation, status]).toEqual([operation, 200])
    }
    expect(await bookOf(service, 'frankenstein')).toEqual(item)
  })
}

export async function bookOf(service: PolicyService, id: string): Promise<ReceivedItem> {
  const { document } = await service.send(service.rule('GetItem', 'books'), { id })
  return service.opened.readItem(document)
}
