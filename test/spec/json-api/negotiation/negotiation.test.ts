import { beforeAll, describe, expect, it } from 'vitest'
import { stores } from '../../../support/stores.ts'
import { blog } from '../../support/blog.ts'
import { type Client, mediaType } from '../../support/document-client.ts'
import { expectError } from '../../support/expecting.ts'
import { cursorProfile } from '../../support/profiles.ts'

describe('JSON:API 1.1: content negotiation', () => {
  let api: Client

  beforeAll(async () => {
    api = (await blog(await stores[0]!.make())).api
  })

  const unknown = 'https://example.com/unknown'
  const tag = { data: { type: 'tags', attributes: { name: 'n' } } }
  const post = (type: string) => api.post('/api/tags', tag, { 'content-type': type })
  const get = (accept: string, path = '/api/articles') => api.get(path, { accept })

  it('CN1, CN2: every response with a body has the media type, without other parameters', async () => {
    for (const path of [
      '/api/articles',
      '/api/articles/999',
      '/api/nope',
      '/nope',
      '/api/articles?nope=1',
    ]) {
      expect((await api.get(path)).headers.get('content-type'), path).toBe(mediaType)
    }
  })

  it.each([
    `${mediaType}; charset=utf-8`,
    `${mediaType};charset=UTF-8`,
    `${mediaType}; foo=1`,
    `${mediaType}; profile="${unknown}"; charset=utf-8`,
    `${mediaType}; version=1`,
    `${mediaType}; q=1`,
  ])('CN6: a body as %s is 415', async (type) => {
    expectError(await post(type), 415, { header: 'Content-Type' })
  })

  it.each([
    `${mediaType}; ext="${unknown}"`,
    `${mediaType}; ext=${unknown}`,
    `${mediaType}; ext="https://jsonapi.org/ext/atomic ${unknown}"`,
    `${mediaType};EXT="${unknown}"`,
  ])('CN7: a body as %s is 415', async (type) => {
    expectError(await post(type), 415, { header: 'Content-Type' })
  })

  it('CN7: 415 comes before errors of the body', async () => {
    expectError(await api.post('/api/tags', '{', { 'content-type': `${mediaType}; foo=1` }), 415)
  })

  it.each([
    `${mediaType}; foo=1, ${mediaType}`,
    `${mediaType};charset=utf-8, ${mediaType};profile="${unknown}"`,
    `text/html, ${mediaType}`,
  ])('CN8: Accept: %s contains an acceptable media type', async (accept) => {
    expect((await get(accept)).status).toBe(200)
  })

  it.each([
    `${mediaType}; foo=1`,
    `${mediaType};foo=1, text/html`,
    `${mediaType};foo=1, */*`,
    `${mediaType}; charset=utf-8`,
    `${mediaType};foo=1, ${mediaType};bar=2`,
  ])('CN9: Accept: %s contains no acceptable media type', async (accept) => {
    expectError(await get(accept), 406, { header: 'Accept' })
  })

  it.each([`${mediaType}; ext="${unknown}"`, `${mediaType};ext="${unknown}", ${mediaType};foo=1`])(
    'CN10: Accept: %s names unknown extensions only',
    async (accept) => {
      expectError(await get(accept), 406, { header: 'Accept' })
    },
  )

  it('CN10: one plain media type in Accept is enough', async () => {
    expect((await get(`${mediaType}; ext="${unknown}", ${mediaType}`)).status).toBe(200)
  })

  it.each(['text/html', 'application/json', 'application/xml;q=0.9, text/*', `${mediaType};q=0`])(
    'CN16: Accept: %s is 406',
    async (accept) => {
      expectError(await get(accept), 406, { header: 'Accept' })
    },
  )

  it('CN17: a request with an unacceptable Accept changes nothing', async () => {
    const payload = { data: { type: 'tags', id: 'unmade', attributes: { name: 'n' } } }
    expectError(await api.post('/api/tags', payload, { accept: 'text/html' }), 406)
    expect((await api.get('/api/tags/unmade')).status).toBe(404)
  })

  it('CN11, CN5, CN3: the requested profile is applied and named', async () => {
    const response = await get(`${mediaType}; profile="${cursorProfile}"`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain(`profile="${cursorProfile}"`)
    expect(response.at('/jsonapi/profile')).toEqual([cursorProfile])
  })

  it('CN12: an unknown profile is ignored', async () => {
    for (const accept of [
      `${mediaType}; profile="${unknown}"`,
      `${mediaType}; profile="${unknown} https://b.example/"`,
    ]) {
      const response = await get(accept)
      expect([response.status, response.headers.get('content-type')]).toEqual([200, mediaType])
      expect(response.at('/jsonapi/profile')).toBeUndefined()
    }
    expect((await post(`${mediaType}; profile="${unknown}"`)).status).toBe(201)
  })

  it('CN12, CN3: a known profile among unknown ones is applied alone', async () => {
    const response = await get(`${mediaType}; profile="${unknown} ${cursorProfile}"`)
    expect(response.headers.get('content-type')?.replaceAll(' ', '')).toBe(
      `${mediaType};profile="${cursorProfile}"`,
    )
  })

  it('CN13: Vary has Accept without a body too', async () => {
    const { headers } = await api.get('/api/articles/1')
    const conditional = await api.get('/api/articles/1', {
      'if-none-match': headers.get('etag') ?? '',
    })
    expect([conditional.status, conditional.headers.get('vary')?.toLowerCase()]).toEqual([
      304,
      expect.stringContaining('accept'),
    ])
    const deletion = await api.delete('/api/comments/5')
    expect([deletion.status, deletion.headers.get('vary')?.toLowerCase()]).toEqual([
      204,
      expect.stringContaining('accept'),
    ])
  })

  it('CN14: members of the document do not affect negotiation', async () => {
    const jsonapi = {
      version: '1.1',
      ext: ['https://jsonapi.org/ext/atomic', unknown],
      profile: [cursorProfile],
    }
    const response = await api.post('/api/tags', { ...tag, jsonapi })
    expect([response.status, response.headers.get('content-type')]).toEqual([201, mediaType])
    expect(response.at('/jsonapi/ext')).toBeUndefined()
  })

  it('CN15: an extension or profile with a lower quality is not applied', async () => {
    const response = await get(`${mediaType};profile="${cursorProfile}";q=0.5, ${mediaType}`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, mediaType])
    const other = await get(`${mediaType};q=0.5, ${mediaType};profile="${cursorProfile}"`)
    expect(other.headers.get('content-type')).toContain(cursorProfile)
  })

  it.each(['', '*/*', 'application/*', '*/*;q=0.1', `text/html, */*`])(
    'CN16: Accept: %j is 200',
    async (accept) => {
      expect((await get(accept)).status).toBe(200)
    },
  )

  it.each([
    `${mediaType} ; profile="${cursorProfile}"`,
    'APPLICATION/VND.API+JSON',
    `${mediaType}; profile=x`,
    `${mediaType}; ext=""`,
    `${mediaType}; profile=""`,
    `${mediaType};`,
    `${mediaType}; ext`,
    `${mediaType}; ext="`,
    `${mediaType}; ext="a" ; ext="b"`,
    ';',
    ',',
    '/',
  ])('CN18: %j has a defined response, as Accept and as Content-Type', async (value) => {
    expect([200, 400, 406]).toContain((await get(value)).status)
    expect([201, 400, 415]).toContain((await post(value)).status)
  })

  it('CN18: case and white space follow HTTP', async () => {
    expect((await post('APPLICATION/VND.API+JSON')).status).toBe(201)
    expect((await get('Application/Vnd.Api+Json')).status).toBe(200)
  })

  it.each([
    'application/json',
    'text/plain',
    'application/xml',
    'application/vnd.api',
    'nonsense',
    '',
  ])('CN20: a body as %j is 415', async (type) => {
    expectError(await post(type), 415, { header: 'Content-Type' })
  })

  it('CN17: an unknown method has a defined response', async () => {
    expect([405, 501]).toContain((await api.send('PROPFIND', '/api/articles')).status)
    expectError(await api.put('/api/articles', tag), 405)
  })
})
