import { expect } from 'vitest'
import type { PolicySuite } from './harness.ts'

export function reading(suite: PolicySuite): void {
  suite.onEachStore('lists items by id, with their values and relations', async (service) => {
    const { status, document } = await service.send(service.rule('GetList', 'books'))
    expect(status).toBe(200)
    const items = service.opened.readList(document)
    expect(items.map(({ id }) => id)).toEqual(['dracula', 'frankenstein', 'the-last-man'])
    expect(items[0]).toMatchObject({
      title: 'Title 0',
      price: 1,
      pages: 100,
      author: 'stoker',
      genres: ['horror'],
    })
  })

  suite.onEachStore('lists nothing where there is nothing', async (service) => {
    const remove = service.rule('DeleteItem', 'books')
    for (const id of ['dracula', 'frankenstein', 'the-last-man']) await service.send(remove, { id })
    const { status, document } = await service.send(service.rule('GetList', 'books'))
    expect(status).toBe(200)
    expect(service.opened.readList(document)).toEqual([])
  })

  suite.onEachStore('returns an item as its list has it', async (service) => {
    const list = await service.send(service.rule('GetList', 'books'))
    const item = await service.send(service.rule('GetItem', 'books'), { id: 'frankenstein' })
    expect(item.status).toBe(200)
    expect(service.opened.readItem(item.document)).toEqual(
      service.opened.readList(list.document)[1],
    )
  })

  suite.alone('responds to HEAD with the headers of GET', async (service) => {
    for (const path of [
      service.rule('GetItem', 'books').path.replace(':id', 'dracula'),
      service.rule('GetList', 'books').path,
    ]) {
      const get = await service.sendRaw('GET', path)
      const head = await service.sendRaw('HEAD', path)
      expect([head.status, head.text]).toEqual([200, ''])
      expect(head.headers['content-type']).toBe(get.headers['content-type'])
      expect(head.headers.etag).toBe(get.headers.etag)
    }
  })

  suite.onEachStore('applies the query parameters that it documents', async (service) => {
    const rule = service.rule('GetList', 'books')
    const names = rule.parameters.flatMap(({ baseNames }) => baseNames)
    const idsFor = async (query: string) =>
      service.opened.readList((await service.send(rule, { query })).document).map(({ id }) => id)
    if (names.includes('sort'))
      expect(await idsFor('?sort=-price')).toEqual(['the-last-man', 'frankenstein', 'dracula'])
    if (names.includes('filter'))
      expect(await idsFor('?filter[price][gt]=1')).toEqual(['frankenstein', 'the-last-man'])
    if (names.includes('page')) {
      expect(await idsFor('?page[size]=2&page[number]=9')).toEqual([])
      expect(await idsFor('?page[size]=2')).toEqual(['dracula', 'frankenstein'])
      expect(await idsFor('?page[size]=2&page[number]=2')).toEqual(['the-last-man'])
    }
    if (names.includes('fields')) {
      const { document } = await service.send(rule, { query: '?fields[books]=title' })
      expect(service.opened.readList(document)[0]).toEqual({ id: 'dracula', title: 'Title 0' })
    }
  })
}
