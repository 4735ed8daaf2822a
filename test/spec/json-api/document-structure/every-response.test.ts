import { image, model } from 'resourcery'
import { memoryBlobs } from 'resourcery/memory'
import { beforeAll, describe, expect, it } from 'vitest'
import { stores } from '../../../support/stores.ts'
import { atomicType, atomicUri } from '../../support/atomic.ts'
import { blog } from '../../support/blog.ts'
import { type Client, type DocumentResponse, mediaType } from '../../support/document-client.ts'
import { isObject, type JsonObject } from '../../support/json.ts'
import { linksIn } from '../../support/link-walk.ts'
import { cursorProfile } from '../../support/profiles.ts'

const Picture = model('picture', { photo: image() })
const article = { type: 'articles', attributes: { title: 'New' } }
const tag = { type: 'tags', id: '4' }

/** One response of every kind, with documents that are as complete as possible. */
async function everyKind(api: Client): Promise<readonly DocumentResponse[]> {
  const cursors = { accept: `${mediaType}; profile="${cursorProfile}"` }
  const atomic = { 'content-type': atomicType, accept: atomicType }
  return [
    await api.get(
      '/api/articles?include=author.articles,tags,comments&page[size]=1&withCount=true',
    ),
    await api.get('/api/articles?include=tags&sort=-title', cursors),
    await api.get('/api/articles?filter[title]=None&include=author'),
    await api.get('/api/articles/1?include=comments.author'),
    await api.get('/api/articles/1?fields[articles]=title&include=author'),
    await api.get('/api/articles/1/author?include=articles'),
    await api.get('/api/articles/2/author'),
    await api.get('/api/articles/1/comments'),
    await api.get('/api/articles/1/relationships/author'),
    await api.get(
      '/api/articles/1/relationships/comments?include=comments&page[size]=1&withCount=true',
    ),
    await api.post('/api/articles?include=author', { data: article }),
    await api.patch('/api/articles/1', {
      data: { type: 'articles', id: '1', attributes: { rank: 3 } },
    }),
    await api.put('/api/articles/2', { data: { ...article, id: '2' } }),
    await api.post('/api/articles/1/relationships/tags', { data: [tag] }),
    await api.get('/api/pictures'),
    await api.post(
      '/api/operations',
      { 'atomic:operations': [{ op: 'add', data: article }] },
      atomic,
    ),
    await api.post('/api/operations', { 'atomic:operations': [{ op: 'remove' }] }, atomic),
    await api.get('/api/articles/999?include=author'),
    await api.get('/api/articles?include=nope&sort=nope&page[size]=9999'),
    await api.post('/api/articles?include=author', {
      data: { type: 'articles', attributes: { title: 3 } },
    }),
    await api.get('/nope'),
  ]
}

describe.each(stores)('JSON:API 1.3: rules for every document, on $name', ({ make }) => {
  let responses: readonly DocumentResponse[]
  let documents: readonly JsonObject[]

  beforeAll(async () => {
    const fixture = await blog(await make(), { blobs: memoryBlobs() }, [Picture])
    await fixture.router.load(Picture, [{ id: 'p-1' }])
    responses = await everyKind(fixture.api)
    documents = responses.flatMap(({ document }) => (isObject(document) ? [document] : []))
    expect(documents.length).toBeGreaterThan(18)
  })

  it('DS3: data and errors never coexist; one of them, results or meta is always there', () => {
    for (const document of documents) {
      expect('data' in document && 'errors' in document).toBe(false)
      expect(
        'data' in document ||
          'errors' in document ||
          'meta' in document ||
          'atomic:results' in document,
      ).toBe(true)
    }
    expect(documents.filter((document) => 'errors' in document).length).toBeGreaterThan(3)
  })

  it('DS4, DS51: top-level members are those of the specification, and those of the extension have its namespace', () => {
    const knownMembers = ['jsonapi', 'links', 'data', 'included', 'meta', 'errors']
    for (const document of documents) {
      const others = Object.keys(document).filter((name) => !knownMembers.includes(name))
      const { ext } = document.jsonapi as { readonly ext?: readonly string[] }
      if (ext === undefined) expect(others).toEqual([])
      else {
        expect(ext).toEqual([atomicUri])
        for (const name of others) expect(name).toMatch(/^atomic:[a-z]+$/)
      }
    }
  })

  it('DS7, DS34, DS35: included is one top-level array, and only beside data, also when a request with include fails', () => {
    const compound = documents.filter((document) => 'included' in document)
    expect(compound.length).toBeGreaterThan(6)
    for (const entry of compound) {
      expect('data' in entry).toBe(true)
      expect(Array.isArray(entry.included)).toBe(true)
    }
    const others = documents.map((document) => JSON.stringify({ ...document, included: undefined }))
    for (const text of others) expect(text).not.toContain('"included"')
  })

  it('DS39, CP13: meta is an object everywhere, and so is its member page', () => {
    const metas = documents.flatMap((document) => membersNamed('meta', document))
    expect(metas.length).toBeGreaterThan(4)
    for (const meta of metas) expect(isObject(meta)).toBe(true)
    const pages = metas.flatMap((meta) => (isObject(meta) && 'page' in meta ? [meta.page] : []))
    expect(pages.length).toBeGreaterThan(3)
    for (const page of pages) expect(isObject(page)).toBe(true)
  })

  it('DS46: jsonapi is an object, and there is one of it', () => {
    for (const { text, document } of responses) {
      if (text === '') continue
      expect(isObject((document as JsonObject).jsonapi)).toBe(true)
      expect(text.split('"jsonapi":')).toHaveLength(2)
    }
  })

  it('DS40, DS41, DS43: links are addresses, objects or null, without rel or hreflang', () => {
    for (const document of documents) {
      for (const links of membersNamed('links', document)) {
        for (const link of Object.values(links as object)) {
          if (typeof link === 'string' || link === null) continue
          expect(isObject(link)).toBe(true)
          expect(
            Object.keys(link).filter((name) => !['href', 'type', 'meta'].includes(name)),
          ).toEqual([])
        }
      }
    }
    expect(documents.flatMap(linksIn).length).toBeGreaterThan(50)
  })

  it('XP1, XP6: the rules of the base specification apply under the extension and the profile', () => {
    const applied = responses.filter(({ headers }) =>
      /ext=|profile=/.test(headers.get('content-type') ?? ''),
    )
    expect(applied.length).toBeGreaterThanOrEqual(3)
    for (const { headers, document } of applied) {
      expect(headers.get('content-type')).toMatch(
        /^application\/vnd\.api\+json;(?:ext|profile)="[^"]+"$/,
      )
      expect(document).toMatchObject({ jsonapi: { version: '1.1' } })
    }
  })
})

/**
 * The values of every member with this name, except inside attributes, which mean nothing to
 * JSON:API.
 */
function membersNamed(name: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((entry) => membersNamed(name, entry))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(key === name ? [inner] : []),
    ...(key === 'attributes' ? [] : membersNamed(name, inner)),
  ])
}
