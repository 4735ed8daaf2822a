import { type Middleware, model, toMany, toOne } from 'resourcery'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { counted } from '../support/counted.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'
import { Country, countries, Film, films, Genre, genres, models, Studio, studios } from './films.ts'

describe.each(stores)('Including related items, on $name', ({ make }) => {
  let api: Client
  let storeCalls: string[]

  beforeAll(async () => {
    const watched = counted(await make())
    const fixture = service(watched.store, models)
    await fixture.router.load(Country, countries)
    await fixture.router.load(Studio, studios)
    await fixture.router.load(Genre, genres)
    await fixture.router.load(Film, films)
    api = fixture.api
    storeCalls = watched.calls
  })

  beforeEach(() => {
    storeCalls.length = 0
  })

  it('adds a related item under its own plural key', async () => {
    const response = await api.get('/films/f-1?include=studio')
    expect(response.at('/film/studio')).toBe('s-1')
    expect(response.at('/studios')).toEqual([
      { id: 's-1', name: 'UFA', founded: 1917, country: 'de' },
    ])
  })

  it('adds the items of a to-many relation', async () => {
    const response = await api.get('/films/f-3?include=genres')
    expect(response.at('/film/genres')).toEqual(['g-1', 'g-3'])
    expect(response.at('/genres')).toEqual([
      { id: 'g-1', name: 'Science fiction' },
      { id: 'g-3', name: 'Horror' },
    ])
  })

  it('follows nested paths, and adds the items along them', async () => {
    const response = await api.get('/films/f-1?include=studio.country,genres')
    expect(response.ids('studios')).toEqual(['s-1'])
    expect(response.at('/countries')).toEqual([{ id: 'de', name: 'Germany', population: 83 }])
    expect(response.ids('genres')).toEqual(['g-1'])
  })

  it('adds each item once, however many items relate to it', async () => {
    const response = await api.get('/films?include=studio.country,genres.films,sequelOf')
    expect(response.ids('studios').toSorted()).toEqual(['s-1', 's-2', 's-3', 's-4'])
    expect(response.ids('countries').toSorted()).toEqual(['de', 'us'])
    expect(response.ids('genres').toSorted()).toEqual(['g-1', 'g-2', 'g-3'])
    expect(response.ids('_films'), 'all of them are primary items already').toEqual([])
  })

  it('adds included items of the primary model itself under an underscored key', async () => {
    const response = await api.get('/films/f-4?include=sequelOf')
    expect(response.at('/film/sequelOf')).toBe('f-3')
    expect(response.ids('_films')).toEqual(['f-3'])
    const list = await api.get('/films?filter[id]=f-4&include=sequelOf')
    expect(list.ids('films')).toEqual(['f-4'])
    expect(list.ids('_films')).toEqual(['f-3'])
  })

  it('follows a cycle without endless loops or duplicates', async () => {
    const response = await api.get('/films/f-3?include=studio.films.studio.films')
    expect(response.at('/film/id')).toBe('f-3')
    expect(response.ids('studios')).toEqual(['s-3'])
    expect(response.ids('_films')).toEqual(['f-4'])
  })

  it('adds the items of an inverse relation, which is not a member of the item', async () => {
    const plain = await api.get('/studios/s-3')
    expect(plain.body).toEqual({ studio: { id: 's-3', name: 'Fox', country: 'us' } })
    const response = await api.get('/studios/s-3?include=films')
    expect(response.ids('films')).toEqual(['f-3', 'f-4'])
    expect((await api.get('/genres/g-2?include=films')).ids('films')).toEqual(['f-2', 'f-4'])
    expect((await api.get('/films/f-3?include=sequels')).ids('_films')).toEqual(['f-4'])
  })

  it('adds nothing without related items', async () => {
    const response = await api.get('/films/f-6?include=studio.country,genres,sequels')
    expect(response.status).toBe(200)
    for (const key of ['studios', 'countries', 'genres', '_films'])
      expect(response.ids(key)).toEqual([])
  })

  it('never sends hidden members of an included item', async () => {
    const response = await api.get('/genres/g-1?include=films')
    expect(response.text).not.toContain('costPrice')
    expect(response.text).not.toContain('password')
  })

  it('includes related items after a write as after a read', async () => {
    const { api: own, router } = service(await make(), models)
    await router.load(Country, countries)
    await router.load(Studio, studios)
    const created = await own.post('/films?include=studio.country', {
      film: { id: 'f-7', studio: 's-1' },
    })
    expect([created.status, created.ids('studios'), created.ids('countries')]).toEqual([
      201,
      ['s-1'],
      ['de'],
    ])
    const changed = await own.patch('/films/f-7?include=studio', { film: { studio: 's-3' } })
    expect([changed.status, changed.ids('studios')]).toEqual([200, ['s-3']])
  })

  it.each([
    ['/films', 1],
    ['/films?include=studio', 2],
    ['/films?include=genres', 2],
    ['/films?include=studio,genres', 3],
    ['/films?include=studio.country', 3],
    ['/films?include=studio.country,genres', 4],
    ['/films?page[size]=3&include=studio', 2],
    ['/films/f-1', 1],
    ['/films/f-1?include=studio.country', 3],
    ['/studios?include=films', 2],
    ['/studios?include=films.genres', 3],
  ])('%s takes %i store calls: one more per relation and level', async (path, times) => {
    expect((await api.get(path)).status).toBe(200)
    expect(storeCalls).toHaveLength(times)
  })

  it('adds a page of a to-many relation for each item, with a filter and sort of its own', async () => {
    const response = await api.get(
      '/studios?include=films&pageIncluded[films][size]=1&sortIncluded[films]=-id',
    )
    const last = new Map(films.map((film) => [film.studio, film.id]))
    expect(response.ids('films').toSorted()).toEqual(
      [...last].flatMap(([studio, id]) => (studio ? id : [])).toSorted(),
    )
    const held = await api.get('/films/f-3?include=genres&filterIncluded[genres][name]=Horror')
    expect(held.ids('genres')).toEqual(['g-3'])
    expect(held.at('/film/genres'), 'the item itself is as it is').toEqual(['g-1', 'g-3'])
    const nested = await api.get(
      '/films/f-1?include=studio.films,genres.films&pageIncluded[genres.films][size]=2',
    )
    const sciFi = films.filter((film) => film.genres?.includes('g-1')).map(({ id }) => id)
    const ofStudio = films.filter((film) => film.studio === 's-1').map(({ id }) => id)
    const expectedIds = new Set([...sciFi.slice(0, 2), ...ofStudio].filter((id) => id !== 'f-1'))
    expect(nested.ids('_films').toSorted()).toEqual([...expectedIds].toSorted())
    const wrong = await api.get(
      '/studios?include=films.genres&pageIncluded[films][size]=5000&sortIncluded[genres]=name',
    )
    expect(wrong.errors.map(({ source }) => source?.parameter).toSorted()).toEqual([
      'pageIncluded[films][size]',
      'sortIncluded[genres]',
    ])
  })

  it('refuses deeper paths, or more paths, than allowed', async () => {
    const deep = await api.get('/films?include=studio.films.studio.films.studio')
    expect([deep.status, deep.errors[0]?.source]).toEqual([400, { parameter: 'include' }])
    expect(deep.errors[0]?.detail).toContain('4')
    const wide = await api.get(
      `/films?include=${Array.from({ length: 30 }, () => 'studio').join(',')}`,
    )
    expect([wide.status, wide.errors[0]?.source]).toEqual([400, { parameter: 'include' }])
  })

  it('refuses unknown relations', async () => {
    for (const path of [
      'director',
      'studio.director',
      'studio.',
      '.studio',
      'Studio',
      'films',
      'id',
      'hash',
    ]) {
      const response = await api.get(`/films/f-1?include=${path}`)
      expect([response.status, response.errors[0]?.source], path).toEqual([
        400,
        { parameter: 'include' },
      ])
    }
  })
})

describe.each(stores)('No back door: including guarded items, on $name', ({ make }) => {
  const Room = model('room', {
    name: z.string(),
    secret: z.boolean().default(false),
    house: toOne('house', { optional: true }),
    doors: toMany('room'),
  })
  const House = model('house', { name: z.string(), rooms: toMany('room', { inverse: 'house' }) })
  const noSecrets: Middleware = {
    query: { getItem: (query) => query.where('secret').equal(false) },
  }
  const noHidden: Middleware = {
    query: { getItem: (query) => query.where('name').notEqual('Hidden') },
  }
  let api: Client

  beforeAll(async () => {
    const { router } = service(await make(), [])
    router.prepare(Room).use(noSecrets)
    router.prepare(House).use(noHidden)
    await router.load(House, [
      { id: 'h-1', name: 'Open' },
      { id: 'h-2', name: 'Hidden' },
    ])
    await router.load(Room, [
      { id: 'r-1', name: 'Hall', house: 'h-1', doors: ['r-2', 'r-3'] },
      { id: 'r-2', name: 'Vault', secret: true, house: 'h-1', doors: ['r-3'] },
      { id: 'r-3', name: 'Attic', house: 'h-2', doors: [] },
    ])
    api = client(router)
  })

  it('does not include hidden targets', async () => {
    const response = await api.get('/rooms/r-1?include=doors')
    expect(response.ids('_rooms')).toEqual(['r-3'])
    expect(response.text).not.toContain('r-2')
    expect((await api.get('/houses/h-1?include=rooms')).ids('rooms')).toEqual(['r-1'])
    expect((await api.get('/rooms?include=house')).ids('houses')).toEqual(['h-1'])
  })

  it('does not pass through a hidden target to the items behind it', async () => {
    const response = await api.get('/rooms/r-3?include=house.rooms')
    expect([response.ids('houses'), response.ids('_rooms')]).toEqual([[], []])
  })

  it('leaves the ids of hidden targets out of relation members', async () => {
    expect((await api.get('/rooms/r-1')).at('/room/doors')).toEqual(['r-3'])
    expect((await api.get('/rooms/r-3')).at('/room/house')).toBeNull()
    expect((await api.get('/rooms')).at('/rooms/0/doors')).toEqual(['r-3'])
  })
})
