import { createRouter, field, model, type Router, type Store, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const Person = model('person', {
  name: z.string().nullable(),
  born: z.iso.date().optional(),
  age: z.int().optional(),
  secret: field(z.string().optional(), { hidden: true }),
  home: z.object({ city: z.string() }).optional(),
  friend: toOne('person', { optional: true }),
})

const names = [
  'Zoë',
  'ZOE',
  'zoé von Straße',
  'Zo',
  'STRASSE',
  'Øre',
  'ore',
  'Οδυσσεύς',
  'ΟΔΥΣΣΕΥΣ',
  'Жар-птица Ё',
  'ﬁn',
  "100%_'; --",
  '',
]

describe.each(stores)('Texts are found whatever their case and accents, on $name', ({ make }) => {
  let api: Client
  let json: Client
  let router: Router
  beforeAll(async () => {
    const store: Store = await make()
    const rest = service(store, [Person])
    router = rest.router
    api = rest.api
    const other = createRouter({ policy: jsonApi(), store })
    other.prepare(Person)
    json = client(other, 'http://localhost', 'application/vnd.api+json')
    await router.load(Person, [
      ...names.map((name, index) => ({
        id: `p${String(index).padStart(2, '0')}`,
        name,
        home: { city: name },
        age: 1,
      })),
      { id: 'q0', name: null },
      { id: 'q1', name: 'x', friend: 'p00', born: '2024-05-01' },
    ])
  })
  const ids = async (query: string) => {
    const [own, other] = [await api.get(`/people?${query}`), await json.get(`/people?${query}`)]
    expect([own.status, other.status], own.text).toEqual([200, 200])
    expect(other.ids('data')).toEqual(own.ids('people'))
    return own.ids('people')
  }

  it.each([
    ['iequals', 'zoe', ['p00', 'p01']],
    ['iequals', 'ZOE\u0308', ['p00', 'p01']],
    ['icontains', 'OE', ['p00', 'p01', 'p02']],
    ['icontains', 'strasse', ['p02', 'p04']],
    ['icontains', 'STRAẞE', ['p02', 'p04']],
    ['istartsWith', 'zo', ['p00', 'p01', 'p02', 'p03']],
    ['istartsWith', 'strasse', ['p04']],
    ['istartsWith', 'ore', ['p06']],
    ['icontains', 'ø', ['p05']],
    ['iequals', 'οδυσσευσ', ['p07', 'p08']],
    ['icontains', 'е', ['p09']],
    ['iequals', 'FIN', ['p10']],
    ['icontains', '%_', ['p11']],
    ['iequals', '', ['p12']],
    ['istartsWith', 'nobody', []],
  ])('%s %s', async (operator, text, expected) => {
    const value = encodeURIComponent(text)
    expect(await ids(`filter[name][${operator}]=${value}`)).toEqual(expected)
    expect(await ids(`filter[home.city][${operator}]=${value}`)).toEqual(expected)
    expect(await ids(`filter=${operator}(name,'${value}')`)).toEqual(expected)
    const others = await ids(`filter=not(${operator}(name,'${value}'))`)
    expect([...others, ...expected].toSorted()).toEqual(await ids(''))
  })

  it('finds any text by one of marks alone, and no null', async () => {
    const all = names.map((_, index) => `p${String(index).padStart(2, '0')}`)
    const mark = encodeURIComponent('\u0301')
    expect(await ids(`filter[name][icontains]=${mark}`)).toEqual([...all, 'q1'])
    expect(await ids('filter[name][istartsWith]=')).toEqual([...all, 'q1'])
    expect(await ids(`filter[name][iequals]=${mark}`)).toEqual(['p12'])
  })

  it('finds items by their related items, by ids and by the texts of dates', async () => {
    expect(await ids('filter[friend.name][iequals]=ZOE')).toEqual(['q1'])
    expect(await ids('filter[id][icontains]=Q')).toEqual(['q0', 'q1'])
    expect(await ids('filter[born][istartsWith]=2024-05')).toEqual(['q1'])
  })

  it('pages and counts what it finds', async () => {
    const response = await api.get(
      '/people?filter[name][istartsWith]=ZO&sort=-name&page[size]=2&withCount=true',
    )
    expect(response.ids('people')).toEqual(['p02', 'p00'])
    expect(response.at('/meta/page/total')).toBe(4)
  })

  it('is offered in code, and keeps to texts', async () => {
    const found = []
    for await (const person of router.query(Person).where('name').equalIgnoringCase('ZOE').exec())
      found.push(person.id)
    expect(found).toEqual(['p00', 'p01'])
    const query = router.query(Person).where('name').containsIgnoringCase('STRASSE')
    expect(await query.where('name').startsWithIgnoringCase('Zoe').size()).toBe(1)
    // @ts-expect-error a number is no text
    expect(() => router.query(Person).where('age').containsIgnoringCase('1')).not.toThrow()
    const unknown = await api.get('/people?filter[age][icontains]=1')
    expect(unknown.errors[0]?.code).toBe('unknown-operator')
    const hidden = await api.get('/people?filter[secret][icontains]=1')
    expect(hidden.errors[0]?.code).toBe('unknown-field')
    const long = await api.get(`/people?filter[name][icontains]=${'x'.repeat(1_001)}`)
    expect(long.errors[0]?.code).toBe('limit-exceeded')
  })

  it('is documented', () => {
    const text = JSON.stringify(router.toOpenApi({ info: { title: 'x', version: '1' } }))
    expect(text).toContain('`icontains`: contains the text, whatever the case and accents of both')
    expect(text).toContain('"istartsWith":{"type":"string","maxLength":1000}')
  })
})

describe.each(stores)('Texts of large lists, on $name', ({ make }) => {
  it('are found whatever their case and accents, beside other requests', async () => {
    const { router, api } = service(await make(), [Person])
    const people = Array.from({ length: 12_000 }, (_, index) => ({
      id: `p${String(index).padStart(5, '0')}`,
      name: index % 4_000 === 0 ? 'Čeněk' : `Person ${index} – é`,
    }))
    await router.load(Person, people)
    const [found, one] = await Promise.all([
      api.get('/people?filter[name][icontains]=CENEK'),
      api.get('/people/p00001'),
    ])
    expect(found.ids('people')).toEqual(['p00000', 'p04000', 'p08000'])
    expect(one.status).toBe(200)
  }, 30_000)
})
