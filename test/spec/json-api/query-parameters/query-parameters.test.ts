import { beforeAll, describe, expect, it } from 'vitest'
import { stores } from '../../../support/stores.ts'
import { blog } from '../../support/blog.ts'
import type { Client } from '../../support/document-client.ts'
import { expectError } from '../../support/expecting.ts'
import { linksIn } from '../../support/link-walk.ts'

describe('JSON:API 1.7: query parameters', () => {
  let api: Client

  beforeAll(async () => {
    api = (await blog(await stores[0]!.make())).api
  })

  it.each([
    'filter[title]=Alone',
    'filter[title][eq]=Alone',
    'filter[author.name][contains]=D',
    'fields[articles]=title',
  ])('QP1: %s is a member of its family', async (query) => {
    expect((await api.get(`/api/articles?${query}`)).status).toBe(200)
  })

  it.each([
    'filter[_]',
    'filter[x',
    'filter[]',
    'filter]',
    'filter[title]x',
    'filter[title][',
    'filter[[title]]',
    'filter[-a]',
    'filter[a b]',
    'filter[.title]',
    'filter[author.]',
    'filter[author..name]',
    '[filter]',
    'page[]',
    'fields[]',
    'filter[x][y]',
  ])('QP1: %s=1 is no member of the family', async (parameter) => {
    expectError(await api.get(`/api/articles?${parameter}=1`), 400)
  })

  it.each([
    ['foo', '1'],
    ['Foo', '1'],
    ['fooBar', '1'],
    ['sort[x]', '1'],
    ['include[author]', '1'],
    ['SORT', 'title'],
    ['inc lude', 'author'],
    ['stats[total]', 'count'],
    ['__proto__', '1'],
    ['constructor', '1'],
    ['toString', '1'],
  ])('QP3: %s=%s is refused', async (parameter, value) => {
    for (const path of [
      '/api/articles',
      '/api/articles/1',
      '/api/articles/1/author',
      '/api/articles/1/relationships/tags',
    ]) {
      expectError(await api.get(`${path}?${parameter}=${value}`), 400, { parameter })
    }
  })

  it('QP3: an empty name is refused', async () => {
    expectError(await api.get('/api/articles?=1'), 400)
  })

  it('QP3: writes refuse unknown parameters, and change nothing', async () => {
    const tag = { data: { type: 'tags', id: 'qp3', attributes: { name: 'n' } } }
    expectError(await api.post('/api/tags?foo=1', tag), 400, { parameter: 'foo' })
    expectError(await api.get('/api/tags/qp3'), 404)
    expectError(await api.delete('/api/articles/2?foo=1'), 400, { parameter: 'foo' })
    expect((await api.get('/api/articles/2')).status).toBe(200)
  })

  it('QP3, ER1: all unknown parameters are reported at once', async () => {
    const response = await api.get('/api/articles?foo=1&bar=2&sort=nope')
    expectError(response, 400, { parameter: 'foo' })
    expectError(response, 400, { parameter: 'bar' })
    expectError(response, 400, { parameter: 'sort' })
  })

  it('QP4: names and values are decoded like forms', async () => {
    expect((await api.get('/api/articles?filter[title]=JSON:API+paints+my+bikeshed!')).ids).toEqual(
      ['1'],
    )
    expect(
      (await api.get('/api/articles?filter%5Btitle%5D=JSON%3AAPI%20paints%20my%20bikeshed%21')).ids,
    ).toEqual(['1'])
    expect((await api.get('/api/articles?%66ilter[titl%65]=Alone')).ids).toEqual(['2'])
    expect((await api.get('/api/articles?&&sort=-title&')).status).toBe(200)
  })

  it('QP5, QP6: brackets may be encoded or not, with the same meaning', async () => {
    for (const raw of [
      'fields[articles]=title',
      'page[size]=1&sort=title',
      'filter[author.name][contains]=D',
    ]) {
      const encoded = raw.replaceAll('[', '%5B').replaceAll(']', '%5D')
      const [one, other] = [
        await api.get(`/api/articles?${raw}`),
        await api.get(`/api/articles?${encoded}`),
      ]
      expect(one.status).toBe(200)
      expect(one.text).toBe(other.text)
    }
  })

  it('QP7: links have their brackets encoded', async () => {
    const response = await api.get(
      '/api/articles?page[size]=1&fields[articles]=title&filter[rank][gte]=0',
    )
    expect(response.link('next')).toContain('page%5Bsize%5D=1')
    for (const { href } of linksIn(response.document)) expect(href).not.toMatch(/[[\]]/)
  })

  it.each(['sort=title&sort=rank', 'include=author&include=tags', 'page[size]=1&page%5Bsize%5D=2'])(
    'QP8: %s: a repeated parameter is refused',
    async (query) => {
      expectError(await api.get(`/api/articles?${query}`), 400)
    },
  )

  it.each(['%', '%zz', '%ff', 'sort=%E0%A4%A', 'filter[title]=%00'])(
    'QP4: ?%s has a defined response',
    async (query) => {
      expect([200, 400]).toContain((await api.get(`/api/articles?${query}`)).status)
    },
  )
})
