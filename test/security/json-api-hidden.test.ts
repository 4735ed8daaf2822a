import { createRouter, field, hash, type Middleware, model, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../spec/support/document-client.ts'
import { stores } from '../support/stores.ts'

const Writer = model('writer', {
  name: z.string(),
  pin: field(z.string().optional(), { hidden: true }),
  works: toMany('work', { inverse: 'writer' }),
  ghosted: toMany('work', { inverse: 'ghost' }),
  hash: hash(),
})
const Work = model('work', {
  title: z.string(),
  open: z.boolean().default(true),
  cost: field(z.number().optional(), { hidden: true }),
  draft: field(z.string().optional(), { writeOnly: true }),
  remark: z.string().optional(),
  writer: toOne('writer', { optional: true }),
  ghost: toOne('writer', { optional: true }),
  helpers: toMany('writer'),
  hash: hash(),
})

const Shelf = model('shelf', {
  best: toOne('work', { optional: true }),
  works: toMany('work'),
  added: toMany('work', { replace: false }),
  hash: hash(),
})

const onlyOpen: Middleware = { query: { getItem: (query) => query.where('open').equal(true) } }
const body = (type: string, id: string, members: object) => ({ data: { type, id, ...members } })

describe.each(stores)(
  '3.2: hidden items get the same response as missing ones under JSON:API, on $name',
  ({ make }) => {
    let api: Client

    beforeEach(async () => {
      const router = createRouter({ policy: jsonApi(), store: await make() })
      router.prepare(Writer).map((writer) => writer, { hides: ['ghosted'] })
      router
        .prepare(Work)
        .use(onlyOpen)
        .map((work) => work, { hides: ['ghost', 'remark'] })
      router.prepare(Shelf)
      await router.load(Writer, [
        { id: 'w-1', name: 'Mary', pin: '1234' },
        { id: 'w-2', name: 'Percy' },
      ])
      await router.load(Work, [
        {
          id: 'open',
          title: 'Open',
          writer: 'w-1',
          ghost: 'w-2',
          helpers: ['w-2'],
          cost: 5,
          remark: 'r',
        },
        { id: 'shut', title: 'Shut', writer: 'w-1', ghost: 'w-2', helpers: ['w-2'], open: false },
      ])
      await router.load(Shelf, [
        { id: 's-1', best: 'shut', works: ['shut', 'open'], added: ['shut', 'open'] },
      ])
      api = client(router)
    })

    /** Both responses are equal except for the requested names. */
    const alike = async (
      ask: (name: string) => ReturnType<Client['get']>,
      hidden: string,
      absent: string,
    ) => {
      const [one, other] = [await ask(hidden), await ask(absent)]
      expect([one.status, one.text.replaceAll(hidden, 'NAME')]).toEqual([
        other.status,
        other.text.replaceAll(absent, 'NAME'),
      ])
      return other
    }

    describe.each([
      ['works', 'open', 'cost'],
      ['works', 'open', 'draft'],
      ['works', 'open', 'remark'],
      ['works', 'open', 'ghost'],
      ['writers', 'w-1', 'pin'],
      ['writers', 'w-1', 'ghosted'],
    ])('of %s/%s, %s', (type, id, hidden) => {
      it.each([
        `/${type}?filter[NAME]=5`,
        `/${type}?filter[NAME][isNull]=true`,
        `/${type}?filter[NAME.name]=x`,
        `/${type}?filter=eq(NAME,'5')`,
        `/${type}?sort=NAME`,
        `/${type}?sort=-NAME.name`,
        `/${type}?fields[${type}]=NAME`,
        `/${type}?include=NAME`,
        `/${type}/${id}?include=NAME`,
        `/${type}/${id}/NAME`,
        `/${type}/${id}/relationships/NAME`,
        '/works/open/writer?include=works.NAME',
        '/works?sort=writer.NAME',
        '/works/open/relationships/helpers?filter[NAME]=5',
      ])('GET %s', async (path) => {
        expect(
          (await alike((name) => api.get(path.replaceAll('NAME', name)), hidden, 'nope')).status,
        ).not.toBe(200)
      })

      it.each(['POST', 'PATCH', 'DELETE'])(
        '%s at the address of its relationship',
        async (method) => {
          const sendRequest = (name: string) =>
            api.send(method, `/${type}/${id}/relationships/${name}`, { data: [] })
          expect((await alike(sendRequest, hidden, 'nope')).status).toBe(404)
        },
      )
    })

    it.each([
      ['works', 'open', 'cost', 'attributes'],
      ['works', 'open', 'cost', 'relationships'],
      ['writers', 'w-1', 'pin', 'attributes'],
      ['writers', 'w-1', 'pin', 'relationships'],
      ['writers', 'w-1', 'ghosted', 'attributes'],
      ['writers', 'w-1', 'ghosted', 'relationships'],
      ['works', 'open', 'remark', 'attributes'],
      ['works', 'open', 'remark', 'relationships'],
      ['works', 'open', 'ghost', 'attributes'],
      ['works', 'open', 'ghost', 'relationships'],
    ])('of %s/%s, %s written among the %s', async (type, id, hidden, order) => {
      const sendRequest = (name: string) =>
        api.patch(`/${type}/${id}`, body(type, id, { [order]: { [name]: { data: [] } } }))
      expect((await alike(sendRequest, hidden, 'nope')).status).toBe(422)
    })

    it.each([
      ['GET', '/works/NAME/relationships/writer', undefined],
      ['GET', '/works/NAME/helpers', undefined],
      ['PATCH', '/works/NAME/relationships/writer', { data: null }],
      ['POST', '/works/NAME/relationships/helpers', { data: [{ type: 'writers', id: 'w-1' }] }],
      ['DELETE', '/works/NAME/relationships/helpers', { data: [] }],
      ['POST', '/writers/w-2/relationships/works', { data: [{ type: 'works', id: 'NAME' }] }],
      ['PATCH', '/writers/w-2/relationships/works', { data: [{ type: 'works', id: 'NAME' }] }],
      ['DELETE', '/writers/w-1/relationships/works', { data: [{ type: 'works', id: 'NAME' }] }],
      [
        'PATCH',
        '/writers/w-2',
        body('writers', 'w-2', {
          relationships: { works: { data: [{ type: 'works', id: 'NAME' }] } },
        }),
      ],
      ['GET', '/writers?filter[works]=NAME', undefined],
      ['GET', '/writers/w-1/relationships/works?filter[id]=NAME&withCount=true', undefined],
      ['GET', '/writers/w-1/works?filter[id]=NAME&withCount=true', undefined],
    ])('%s %s with %j, for a hidden item', async (method, path, body) => {
      const sendRequest = (id: string) =>
        api.send(
          method,
          path.replace('NAME', id),
          body && JSON.stringify(body).replaceAll('NAME', id),
        )
      await alike(sendRequest, 'shut', 'nope')
      expect((await api.get('/writers/w-1/relationships/works')).ids).toEqual(['open'])
    })

    const works = (...ids: readonly string[]) => ids.map((id) => ({ type: 'works', id }))

    it.each([
      ['PATCH', '/shelves/s-1/relationships/best', { data: works('NAME')[0] }],
      ['PATCH', '/shelves/s-1/relationships/works', { data: works('NAME', 'open') }],
      ['PATCH', '/shelves/s-1/relationships/added', { data: works('NAME', 'open') }],
      ['POST', '/shelves/s-1/relationships/works', { data: works('open', 'NAME') }],
      ['DELETE', '/shelves/s-1/relationships/works', { data: works('NAME') }],
      [
        'PATCH',
        '/shelves/s-1',
        body('shelves', 's-1', { relationships: { best: { data: works('NAME')[0] } } }),
      ],
      [
        'PATCH',
        '/shelves/s-1',
        body('shelves', 's-1', { relationships: { works: { data: works('NAME') } } }),
      ],
      [
        'PATCH',
        '/shelves/s-1',
        body('shelves', 's-1', { relationships: { added: { data: works('NAME', 'open') } } }),
      ],
      [
        'PUT',
        '/shelves/s-1',
        body('shelves', 's-1', { relationships: { works: { data: works('open', 'NAME') } } }),
      ],
    ])('%s %s with %j, for a stored link to a hidden item', async (method, path, body) => {
      await alike(
        (id) => api.send(method, path, JSON.stringify(body).replaceAll('NAME', id)),
        'shut',
        'nope',
      )
      const { relationships } = (await api.get('/shelves/s-1')).one
      expect(relationships).toMatchObject({
        best: { data: null },
        works: { data: works('open') },
      })
    })

    it('the ETag of a relation does not depend on hidden items', async () => {
      const before = (await api.get('/writers/w-2/relationships/works')).headers.get('etag')
      const related = { relationships: { works: { data: [{ type: 'works', id: 'shut' }] } } }
      expect((await api.patch('/writers/w-2', body('writers', 'w-2', related))).status).toBe(404)
      expect((await api.get('/writers/w-2/relationships/works')).headers.get('etag')).toBe(before)
    })
  },
)
