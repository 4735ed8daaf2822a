import { file, hash, type ItemOf, model, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { describeTables } from '../../../test/support/describe-tables.ts'
import { everyPage } from '../../../test/support/every-page.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { always, toFieldPath } from '../../query/conditions.ts'
import { createCursorCodec } from '../../query/cursor-codec.ts'
import type {
  CompareOperator,
  Condition,
  FieldPath,
  PathCondition,
  Scalar,
  SortKey,
} from '../../query/query-plan.ts'

const schema = `
create table films (id integer primary key, title text not null);
create table actors (id integer primary key, name text not null);
create table film_actor (
  film_id integer not null references films (id),
  actor_id integer not null references actors (id),
  part text,
  fee integer,
  primary key (film_id, actor_id)
);
create table places (country text not null, number integer not null, name text, primary key (country, number));
create table texts (a text not null, b text not null, note text, unique (a, b));
insert into films values (1, 'Dune'), (2, 'Solaris'), (10, 'Alien');
insert into actors values (1, 'Ann'), (2, 'Bob'), (10, 'Cleo');
insert into film_actor values (2, 1, 'x', 3), (10, 1, 'y', 3), (2, 10, null, 1), (2, 2, 'z', 2), (1, 1, 'w', null);
`

const Film = model(
  'film',
  { title: z.string(), cast: toMany('filmActor', { inverse: 'film' }), hash: hash() },
  { table: 'films' },
)
const Actor = model('actor', { name: z.string() }, { table: 'actors' })
const FilmActor = model(
  'filmActor',
  {
    film: toOne<ItemOf<typeof Film>>('film', { column: 'film_id', onDelete: 'cascade' }),
    actor: toOne('actor', { column: 'actor_id' }),
    part: z.string().nullable().default(null),
    fee: z.int().nullable().default(null),
    hash: hash(),
  },
  { table: 'film_actor', key: ['film_id', 'actor_id'], upsert: true },
)
const Place = model(
  'place',
  { name: z.string().optional(), number: z.int().optional() },
  { table: 'places', key: ['country', 'number'] },
)
const Text = model(
  'text',
  { note: z.string().optional() },
  { table: 'texts', key: ['a', 'b'], upsert: true },
)
const models = [Film, Actor, FilmActor, Place, Text]
const all = ['1~1', '2~1', '2~2', '2~10', '10~1']

const compareTo = (name: string, value: Scalar) =>
  ({ kind: 'compare', path: toFieldPath(name), operator: 'equal', value }) as const

const toSortKey = (text: string) => ({
  path: { names: text.replace('-', '').split('.') },
  direction: text.startsWith('-') ? ('desc' as const) : ('asc' as const),
})

describeTables('Keys of several columns', ({ serve, sql, refusals }, engine) => {
  const start = async () => {
    await sql(schema)
    return serve(models).api
  }

  it('make one id, in which items are listed column by column', async () => {
    const api = await start()
    expect((await api.get('/filmActors/2~10')).at('/filmActor')).toMatchObject({
      id: '2~10',
      film: '2',
      actor: '10',
      part: null,
      fee: 1,
    })
    expect((await api.get('/filmActors')).ids('filmActors')).toEqual(all)
    expect((await api.get('/filmActors?sort=-id')).ids('filmActors')).toEqual(all.toReversed())
  })

  it.each([
    ['', all],
    ['sort=-id', all.toReversed()],
    ['sort=fee', ['1~1', '2~10', '2~2', '2~1', '10~1']],
    ['sort=-fee', ['10~1', '2~1', '2~2', '2~10', '1~1']],
    ['sort=-fee,id', ['2~1', '10~1', '2~2', '2~10', '1~1']],
    ['sort=-film.id', ['10~1', '2~10', '2~2', '2~1', '1~1']],
    ['sort=film.title,-part', ['10~1', '1~1', '2~2', '2~1', '2~10']],
    ['sort=film.id', all],
    ['filter[film]=2', ['2~1', '2~2', '2~10']],
    ['filter[film]=2&sort=-part', ['2~2', '2~1', '2~10']],
    ['filter[id][gt]=2~1', ['2~2', '2~10', '10~1']],
    ['filter[id][lte]=2~2&sort=-id', ['2~2', '2~1', '1~1']],
    ['filter[id][in]=2~2,10~1,1~1,9~9,x,2~02', ['1~1', '2~2', '10~1']],
    ['filter[id][nin]=2~2,10~1,1~1', ['2~1', '2~10']],
    ['filter[id][ne]=2~2', ['1~1', '2~1', '2~10', '10~1']],
    ['filter[id][contains]=~1', ['1~1', '2~1', '2~10', '10~1']],
    ['filter[id][startsWith]=2~', ['2~1', '2~2', '2~10']],
  ] as const)('serve pages of %s', async (query, expected) => {
    const api = await start()
    const whole = await api.get(`/filmActors?${query}`)
    expect(whole.status, whole.text).toBe(200)
    expect(whole.ids('filmActors')).toEqual(expected)
    for (const limit of [1, 2]) {
      const ids: string[] = []
      let path: string | undefined = `/filmActors?${query}&page[limit]=${limit}`
      let last = path
      while (path) {
        const page = await api.get(path)
        ids.push(...page.ids('filmActors'))
        last = path
        path = page.link('next')?.replace('http://localhost', '')
      }
      expect(ids).toEqual(expected)
      const before = (await api.get(last)).link('prev')
      if (before)
        expect((await api.get(before)).ids('filmActors')).toEqual(
          expected.slice(
            Math.max(0, Math.floor((expected.length - 1) / limit) * limit - limit),
            Math.floor((expected.length - 1) / limit) * limit,
          ),
        )
    }
  })

  it('are null where a guard hides the id', async () => {
    await sql(schema)
    const [film, actor, filmActor] = describeModels([Film, Actor, FilmActor])
    const { store } = serve(models)
    await store.open([film!, actor!, filmActor!])
    const guards: PathCondition[] = [
      { depth: 0, condition: { ...compareTo('fee', 3), operator: 'notEqual' } },
    ]
    const path: FieldPath = { names: ['id'], guards }
    const listed = async (condition: Condition, ...sort: SortKey[]) => {
      const pageRange = { kind: 'offset', offset: 0, limit: 10 } as const
      const { entries } = await store.page(filmActor!, { condition, sort, pageRange })
      expect(await store.count(filmActor!, condition)).toBe(entries.length)
      return entries.map(({ id }) => id)
    }
    const ofPath = (operator: CompareOperator, value: Scalar): Condition => ({
      kind: 'compare',
      path,
      operator,
      value,
    })
    expect(await listed(ofPath('equal', null))).toEqual(['2~1', '10~1'])
    expect(await listed(ofPath('notEqual', null))).toEqual(['1~1', '2~2', '2~10'])
    expect(await listed(ofPath('equal', '2~1'))).toEqual([])
    expect(await listed(ofPath('notEqual', '2~2'))).toEqual(['1~1', '2~1', '2~10', '10~1'])
    expect(await listed(ofPath('greaterThan', '1~1'))).toEqual(['2~2', '2~10'])
    expect(await listed(ofPath('lessThan', '2~10'))).toEqual(['1~1', '2~1', '2~2', '10~1'])
    expect(await listed({ kind: 'oneOf', path, values: ['2~1', '2~2', null] })).toEqual([
      '2~1',
      '2~2',
      '10~1',
    ])
    expect(await listed({ kind: 'text', path, operator: 'contains', value: '~1' })).toEqual([
      '1~1',
      '2~10',
    ])
    for (const direction of ['asc', 'desc'] as const) {
      const ascending = ['2~1', '10~1', '1~1', '2~2', '2~10']
      const expected = direction === 'asc' ? ascending : ascending.toReversed()
      expect(await listed(always, { path, direction })).toEqual(expected)
      expect(await everyPage(store, filmActor!, always, [{ path, direction }])).toEqual(expected)
    }
  })

  it('have related items on both sides', async () => {
    const api = await start()
    const film = await api.get('/films/2?include=cast')
    expect(film.ids('filmActors')).toEqual(['2~1', '2~2', '2~10'])
    const cast = await api.get('/filmActors/2~1?include=film,actor')
    expect(cast.status).toBe(200)
    for (const [query, ids] of [
      ['filter[cast][any]=2~1,10~1,x', ['2', '10']],
      ['filter[cast][all]=2~1,2~2', ['2']],
      ['filter[cast][all]=2~1,10~1', []],
      ['filter[cast][all]=2~1,x', []],
    ] as const) {
      const list = await api.get(`/films?${query}`)
      expect([list.status, list.ids('films')], query).toEqual([200, ids])
    }
    const json = serve(models, { policy: jsonApi() }).api
    const page = await json.get('/films/2/cast?page[size]=2&sort=-part')
    expect([page.status, page.ids('data')]).toEqual([200, ['2~2', '2~1']])
    const linkage = await json.get('/films/2/relationships/cast?page[size]=2')
    expect(linkage.ids('data')).toEqual(['2~1', '2~2'])
    const included = await json.get('/films?include=cast.actor&page[size]=2')
    expect(included.status).toBe(200)
  })

  it('are created with an id, or without one where fields have all of its columns', async () => {
    const api = await start()
    const named = { id: '10~2', film: '10', actor: '2', part: 'n' }
    const created = await api.post('/filmActors', { filmActor: named })
    expect([created.status, created.headers.get('location')]).toEqual([
      201,
      expect.stringMatching(/filmActors\/10~2$/),
    ])
    expect((await api.post('/filmActors', { filmActor: named })).status).toBe(409)
    const { id: _, ...unnamed } = named
    const repeated = await api.post('/filmActors', { filmActor: unnamed })
    expect([repeated.status, repeated.errors[0]?.detail]).toEqual([
      409,
      "A film actor with the same 'film' and 'actor' already exists. Send another value, or update the existing one.",
    ])
    const made = await api.post('/filmActors', { filmActor: { ...unnamed, actor: '10' } })
    expect([made.status, made.at('/filmActor/id')]).toEqual([201, '10~10'])
    const place = { id: 'NL~7', name: 'x' }
    expect((await api.post('/places', { place })).at('/place/number')).toBe(7)
    const incomplete = await api.post('/places', { place: { name: 'y', number: 8 } })
    expect([incomplete.status, incomplete.errors[0]]).toMatchObject([
      422,
      {
        detail: "A new place needs an 'id' that fits the key of its table.",
        source: { pointer: '/place' },
      },
    ])
  })

  it('need all of their values where fields have all of their columns', async () => {
    await sql(schema)
    const Whole = model(
      'place',
      { country: z.string().optional(), number: z.int().optional() },
      { table: 'places', key: ['country', 'number'] },
    )
    const { api } = serve([Whole])
    const incomplete = await api.post('/places', { place: { number: 8 } })
    expect([incomplete.status, incomplete.errors[0]?.detail]).toEqual([
      422,
      "A new place needs an 'id' that fits the key of its table, or values for all fields of this key.",
    ])
    const complete = await api.post('/places', { place: { country: 'NL', number: 8 } })
    expect([complete.status, complete.at('/place/id')]).toEqual([201, 'NL~8'])
  })

  it('refuse ids that contradict the fields, and point at both', async () => {
    const api = await start()
    const filmActor = { id: '10~2', film: '1', actor: '2' }
    const refused = await api.post('/filmActors', { filmActor })
    expect([refused.status, refused.errors.map(({ source }) => source?.pointer)]).toEqual([
      422,
      ['/filmActor/id', '/filmActor/film'],
    ])
    const put = await api.put('/filmActors/10~2', { filmActor: { film: '1', actor: '2' } })
    expect([put.status, put.errors.at(-1)?.source?.pointer]).toEqual([422, '/filmActor/film'])
    const place = { id: 'NL~7', number: 8 }
    expect((await api.post('/places', { place })).status).toBe(422)
    expect((await api.get('/filmActors')).ids('filmActors')).toEqual(all)
  })

  it('are changed and deleted, but for the columns of the key', async () => {
    const api = await start()
    const patch = (change: object, headers = {}) =>
      api.patch('/filmActors/2~1', { filmActor: change }, headers)
    const { etag } = await api.get('/filmActors/2~1')
    expect((await patch({ part: 'new', film: '2' }, { 'if-match': etag })).status).toBe(200)
    expect((await patch({ part: 'newer' }, { 'if-match': etag })).status).toBe(412)
    const moved = await patch({ film: '10' })
    expect([moved.status, moved.errors]).toMatchObject([
      422,
      [
        {
          detail: "'film' is part of the key and cannot change.",
          source: { pointer: '/filmActor/film' },
        },
      ],
    ])
    const put = await api.put('/filmActors/10~10', {
      filmActor: { film: '10', actor: '10', part: 'put' },
    })
    expect([put.status, put.at('/filmActor/part')]).toEqual([201, 'put'])
    expect((await api.delete('/filmActors/10~10')).status).toBe(204)
    expect((await api.delete('/filmActors/10~10')).status).toBe(404)
    expect((await api.delete('/films/2')).status).toBe(204)
    expect((await api.get('/filmActors')).ids('filmActors')).toEqual(['1~1', '10~1'])
  })

  it('name no item by another text', async () => {
    const api = await start()
    await sql(
      "insert into texts values ('', ''), ('a', '~'), ('@', 'é'), ('%2F', 'a/b')".replaceAll(
        ')',
        ", 'n')",
      ),
    )
    const ids = (await api.get('/texts')).ids('texts')
    expect([...ids].sort()).toEqual(['%2F~a/b', '@0~é', 'a~@1', '~'])
    for (const id of ids)
      expect((await api.get(`/texts/${encodeURIComponent(id)}`)).at('/text/id'), id).toBe(id)
    for (const id of ['a~~', 'a', 'a~@1~', '@~é', '@00~é', 'a~@2', '~~', '%00~a', '%2F~a/b~'])
      expect((await api.get(`/texts/${encodeURIComponent(id)}`)).status, id).toBe(404)
    for (const id of [
      '02~1',
      '2~01',
      '2~+1',
      '2~',
      '~1',
      '2~1 ',
      '2',
      '2~1~',
      '2~1.0',
      'x~1',
      '2~null',
    ])
      for (const request of [
        api.get(`/filmActors/${encodeURIComponent(id)}`),
        api.delete(`/filmActors/${encodeURIComponent(id)}`),
        api.patch(`/filmActors/${encodeURIComponent(id)}`, { filmActor: {} }),
      ])
        expect((await request).status, id).toBe(404)
    expect((await api.get('/filmActors/99999999999999999999~1')).status).toBe(404)
  })

  it('have no request that is 5xx', async () => {
    const api = await start()
    const values = [
      '',
      '~',
      '1~',
      '@',
      '2~1',
      '~~~',
      '%00',
      '%25',
      '9e9~1',
      'é~1',
      '2~1,2~2',
      '99999999999~1',
    ]
    for (const value of values) {
      for (const operator of [
        'eq',
        'ne',
        'lt',
        'lte',
        'gt',
        'gte',
        'in',
        'nin',
        'contains',
        'endsWith',
      ])
        for (const list of ['filmActors', 'texts'])
          expect((await api.get(`/${list}?filter[id][${operator}]=${value}`)).status).toBeLessThan(
            500,
          )
      for (const [list, name] of [
        ['filmActors', 'filmActor'],
        ['texts', 'text'],
        ['places', 'place'],
      ]) {
        const id = decodeURIComponent(value)
        const item = { id, film: id, actor: id }
        const { film, actor, ...plain } = item
        const body = { [name!]: name === 'filmActor' ? item : plain }
        for (const method of ['POST', 'PUT', 'PATCH']) {
          const path = method === 'POST' ? `/${list}` : `/${list}/${encodeURIComponent(id)}`
          const { status, text } = await api.send(method, path, body)
          expect(status, `${method} ${path} ${text}`).toBeLessThan(500)
        }
      }
    }
  })

  it.each([
    ['', ['x']],
    ['', ['2~']],
    ['', ['1~99999999999999999999']],
    ['', ['a~b~c']],
    ['', [7]],
    ['', [null]],
    ['fee', ['x', '2~1']],
    ['fee', [1, '2']],
    ['fee', [null, '@~@']],
    ['-id', ['2', '2']],
    ['film.id', ['x', '2~1']],
    ['part', ['\0', '2~1']],
  ] as const)(
    'refuse nothing with 5xx where a client made the cursor of sort=%s %j',
    async (sort, position) => {
      const api = await start()
      const keys = sort === '' ? [] : [toSortKey(sort)]
      const cursor = createCursorCodec('of the test').encode(keys, position as never, false)
      for (const name of ['after', 'before']) {
        const query = `page[${name}]=${cursor}&page[limit]=2${sort && `&sort=${sort}`}`
        const page = await api.get(`/filmActors?${query}`)
        expect([200, 400], page.text).toContain(page.status)
      }
    },
  )

  it('can have rows that other programs change, and pages of many items', async () => {
    const api = await start()
    const numbers = Array.from({ length: 1_200 }, (_, index) => `('c${index % 7}', ${index}, null)`)
    await sql(`insert into places values ${numbers.join(', ')}`)
    const sorted = await api.get('/places?sort=number&page[limit]=1000')
    expect(sorted.status).toBe(200)
    expect(sorted.ids('places')).toEqual(
      numbers.slice(0, 1_000).map((_, index) => `c${index % 7}~${index}`),
    )
    const last = await api.get('/places?filter[id][gte]=c6~1000&page[limit]=100')
    expect(last.ids('places')).toEqual(
      Array.from({ length: 29 }, (_, index) => `c6~${1_000 + 7 * index}`),
    )
  })

  it('are read by ranges where the store looks for blobs', async () => {
    const type = engine === 'postgres' ? 'jsonb' : 'text'
    await sql(
      `create table scans (box integer, number integer, page ${type}, primary key (box, number))`,
    )
    const rows = Array.from({ length: 10_500 }, (_, index) => {
      const page = index % 5_000 === 0 ? `'{"blobKey":"k${index}"}'` : 'null'
      return `(${index % 3}, ${index}, ${page})`
    })
    await sql(`insert into scans values ${rows.join(', ')}`)
    const Scan = model('scan', { page: file() }, { key: ['box', 'number'] })
    const { store } = serve([])
    const [scan] = describeModels([Scan])
    await store.open([scan!])
    const blobKeys: string[] = []
    for await (const keys of store.fastPaths!.blobKeys!(scan!)) blobKeys.push(...keys)
    expect(blobKeys.sort()).toEqual(['k0', 'k10000', 'k5000'])
  })

  it('are refused in tables that the store makes', async () => {
    expect(await refusals([Place])).toEqual([
      "The model 'place' has a key of 2 columns, and the store makes tables with a key of one column. Make the table yourself, and let the store change no table with { manage: false }.",
    ])
  })

  it('are refused where nothing makes the columns unique together', async () => {
    await sql('create table places (country text not null, number integer not null, name text)')
    expect(await refusals([Place])).toEqual([
      "No primary key or unique index makes the ids of the model 'place' unique (columns 'country', 'number' of 'places'). Add one, or give the model the option { readOnly: true } if the values are unique and clients only read.",
    ])
  })

  it('have no relation that would need several columns', async () => {
    await sql(schema)
    const Visit = model('visit', { place: toOne('place') })
    await expect(serve([Place, Visit]).router.plan()).rejects.toThrow(
      "The relation 'place' of the model 'visit' cannot hold ids of the model 'place', whose key has 2 columns. Remove the relation, and declare its columns as fields.",
    )
    const Trip = model('trip', { places: toMany('place') })
    await expect(serve([Place, Trip]).router.plan()).rejects.toThrow(
      "The relation 'places' of the model 'trip' cannot hold ids of the model 'place', whose key has 2 columns. Make a model of the join table, with a relation to each side.",
    )
  })

  it('may be those of views, whose rows with a NULL in the key are no items', async () => {
    await sql(schema)
    await sql(
      'create view parts as select film_id, part, count(*) as number from film_actor group by film_id, part',
    )
    const Part = model('part', { number: z.int() }, { key: ['film_id', 'part'], readOnly: true })
    const { api } = serve([Part])
    expect((await api.get('/parts')).ids('parts')).toEqual(['1~w', '2~x', '2~z', '10~y'])
    expect((await api.get('/parts/2~x')).at('/part/number')).toBe(1)
  })
})
