import { model } from 'resourcery'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Client } from '../support/client.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'
import {
  allFilms,
  Country,
  countries,
  Film,
  films,
  Genre,
  genres,
  models,
  Studio,
  studios,
} from './films.ts'

/** A filter as it is written in the query string, and the films that match. */
type Row = readonly [filter: string, ...ids: number[]]

const byText: Row[] = [
  ['filter[title]=M', 2],
  ['filter[title][eq]=M', 2],
  ['filter[title][eq]=m'],
  ['filter[title][ne]=M', 1, 3, 4, 5, 6],
  ['filter[title][gt]=Alien', 1, 2, 4, 5],
  ['filter[title][gte]=Alien', 1, 2, 3, 4, 5],
  ['filter[title][lt]=Alien', 6],
  ['filter[title][lte]=Alien', 3, 6],
  ['filter[title][in]=Alien,M', 2, 3],
  ['filter[title][nin]=Alien,M', 1, 4, 5, 6],
  ['filter[title][contains]=lie', 3, 4],
  ['filter[title][contains]=LIE'],
  ['filter[title][contains]=%25', 5],
  ['filter[title][contains]=_'],
  ['filter[title][startsWith]=M', 1, 2],
  ['filter[title][endsWith]=s', 1, 4],
  ['filter[title][like]=Alien_', 4],
  ['filter[title][like]=%25l%25s', 1, 4],
  ['filter[title][like]=%25etro%25', 1],
  ['filter[title][like]=m'],
  ['filter[title][isNull]=true', 6],
  ['filter[title][isNull]=false', 1, 2, 3, 4, 5],
]

const byInteger: Row[] = [
  ['filter[year]=1927', 1],
  ['filter[year][eq]=1927', 1],
  ['filter[year][ne]=1927', 2, 3, 4, 5, 6],
  ['filter[year][gt]=1946', 3, 4],
  ['filter[year][gte]=1946', 3, 4, 5],
  ['filter[year][lt]=1931', 1, 6],
  ['filter[year][lte]=1931', 1, 2, 6],
  ['filter[year][in]=1927,1986', 1, 4],
  ['filter[year][nin]=1927,1986', 2, 3, 5, 6],
  ['filter[year][isNull]=true', 6],
]

const byNumber: Row[] = [
  ['filter[rating]=8.3', 1, 2],
  ['filter[rating][ne]=8.3', 3, 4, 5, 6],
  ['filter[rating][gt]=-0.5', 1, 2, 3],
  ['filter[rating][gte]=-0.5', 1, 2, 3, 4],
  ['filter[rating][lt]=-0.5', 5, 6],
  ['filter[rating][lte]=-5e-1', 4, 5, 6],
  ['filter[rating][in]=8.3,8.5', 1, 2, 3],
  ['filter[rating][nin]=8.3,8.5', 4, 5, 6],
  ['filter[rating][isNull]=true', 5, 6],
]

const byBoolean: Row[] = [
  ['filter[restored]=true', 1, 3],
  ['filter[restored][eq]=false', 2, 5],
  ['filter[restored][ne]=true', 2, 4, 5, 6],
  ['filter[restored][gt]=false', 1, 3],
  ['filter[restored][lt]=true', 2, 4, 5, 6],
  ['filter[restored][gte]=false', 1, 2, 3, 5],
  ['filter[restored][lte]=false', 2, 4, 5, 6],
  ['filter[restored][in]=true,false', 1, 2, 3, 5],
  ['filter[restored][nin]=true', 2, 4, 5, 6],
  ['filter[restored][isNull]=true', 4, 6],
]

const byDate: Row[] = [
  ['filter[released]=1927-01-10', 1],
  ['filter[released][gte]=1931-05-11', 2, 3],
  ['filter[released][lt]=1931-05-11', 1, 4, 5, 6],
  ['filter[seenAt]=2024-05-01T12:00:00Z', 1],
  ['filter[seenAt][gt]=2024-05-01T12:00:00Z', 3],
  ['filter[format]=sound', 2, 3],
  ['filter[format][in]=sound,silent', 1, 2, 3],
  ['filter[format][gt]=silly', 2, 3],
  ['filter[format][startsWith]=si', 1],
  ['filter=eq(format,null)', 4, 5, 6],
]

const byNested: Row[] = [
  ['filter[size.width]=35', 1, 2],
  ['filter[size.width][gt]=35', 3],
  ['filter[size.width][isNull]=true', 4, 5, 6],
  ['filter[size.frame.code]=wide', 3],
  ['filter[size.frame.code][ne]=wide', 1, 2, 4, 5, 6],
  ['filter[size.frame.code][lt]=full', 2, 4, 5, 6],
  ['filter[minutes]=117', 2, 3],
]

const byRelation: Row[] = [
  ['filter[studio.name]=UFA', 1],
  ['filter[studio.name][contains]=o', 2, 3, 4, 5],
  ['filter[studio.founded][gte]=1920', 2],
  ['filter[studio.founded][isNull]=true', 3, 4, 5, 6],
  ['filter[studio.country.name]=Germany', 1, 2],
  ['filter[studio.country.population][gt]=100', 3, 4],
  ['filter[studio.country.name][isNull]=true', 5, 6],
  ['filter[studio]=s-3', 3, 4],
  ['filter[studio][ne]=s-3', 1, 2, 5, 6],
  ['filter[studio][in]=s-1,s-2', 1, 2],
  ['filter[studio][nin]=s-1,s-2', 3, 4, 5, 6],
  ['filter[studio][isNull]=true', 6],
  ['filter[studio.id]=s-3', 3, 4],
  ['filter[sequelOf.title]=Alien', 4],
  ['filter[id]=f-2', 2],
  ['filter[id][gt]=f-4', 5, 6],
  ['filter[id][in]=f-1,f-9,f-6', 1, 6],
]

const byMembers: Row[] = [
  ['filter[tags][any]=robot', 1, 3],
  ['filter[tags][any]=crime,space', 2, 3],
  ['filter[tags][all]=city,robot', 1],
  ['filter[tags][all]=robot', 1, 3],
  ['filter[tags][any]=nothing'],
  ['filter[scores][any]=2.5', 1, 2],
  ['filter[scores][all]=1,2.5', 1],
  ['filter[genres][any]=g-2,g-3', 2, 3, 4],
  ['filter[genres][all]=g-1,g-3', 3, 4],
  ['filter[genres][all]=g-1,g-2,g-3', 4],
  ['filter[sequels][any]=f-4', 3],
]

const byExpression: Row[] = [
  ["filter=eq(title,'M')", 2],
  ["filter=or(eq(title,'M'),eq(title,'Alien'))", 2, 3],
  ["filter=or(eq(title,'M'),and(gt(rating,8),not(eq(restored,false))))", 1, 2, 3],
  ['filter=not(gt(year,1930))', 1, 6],
  ['filter=and(gte(year,1927),lte(year,1979),ne(studio,null))', 1, 2, 3, 5],
  ['filter=or(isNull(title),in(year,1927,1931))', 1, 2, 6],
  ['filter=nin(year,1927,null)', 2, 3, 4, 5],
  ['filter=eq(year,null)', 6],
  ['filter=gt(year,null)', 1, 2, 3, 4, 5],
  ['filter=lt(year,null)'],
  ['filter=lte(year,null)', 6],
  ["filter=any(tags,'space','crime')", 2, 3],
  ["filter=all(genres,'g-1','g-2')", 4],
  ["filter=contains(studio.country.name,'many')", 1, 2],
  ["filter=startsWith(size.frame.code,'w')", 3],
  ["filter=like(title,'%25lien%25')", 3, 4],
  ["filter=eq(title,'It''s a ''Wonderful'', Life (100%25)')", 5],
  ["filter=contains(title,''' L')"],
  ["filter=contains(title,''', L')", 5],
  ["filter= or( eq( title , 'M' ) , eq(id,'f-1') ) ", 1, 2],
  ['filter=lt(rating,-4e-1)', 4, 5, 6],
  ["filter=eq(title,'')"],
]

const together: Row[] = [
  ['filter[restored]=true&filter[year][gt]=1930', 3],
  ['filter[year][gte]=1927&filter[year][lte]=1946', 1, 2, 5],
  ["filter[restored]=true&filter=or(eq(title,'M'),eq(title,'Alien'))", 3],
]

const groups: Readonly<Record<string, readonly Row[]>> = {
  'text, case-sensitively': byText,
  'whole numbers, null being the smallest': byInteger,
  numbers: byNumber,
  'booleans, false before true': byBoolean,
  'dates, points in time and enumerations': byDate,
  'members of structs and fields renamed for the wire': byNested,
  'fields behind relations to one, and the relations themselves': byRelation,
  'arrays and relations to many, with any and all': byMembers,
  'expressions with and, or and not': byExpression,
  'several filters, which all have to hold': together,
}

describe.each(stores)('GetList rule 1: filtering, on $name', ({ make }) => {
  let api: Client

  beforeAll(async () => {
    const fixture = service(await make(), models)
    await fixture.router.load(Country, countries)
    await fixture.router.load(Studio, studios)
    await fixture.router.load(Genre, genres)
    await fixture.router.load(Film, films)
    api = fixture.api
  })

  for (const [what, rows] of Object.entries(groups)) {
    describe(`filters by ${what}`, () => {
      it.each(
        rows.map(([filter, ...numbers]) => ({
          filter,
          ids: numbers.map((number) => `f-${number}`),
        })),
      )('$filter matches $ids', async ({ filter, ids }) => {
        const response = await api.get(`/films?${filter}`)
        expect([response.status, response.errors]).toEqual([200, []])
        expect(response.ids('films')).toEqual(ids)
      })
    })
  }

  it('filters by the inverse side of a relation, from either end', async () => {
    expect((await api.get('/studios?filter[films][any]=f-1,f-3')).ids('studios')).toEqual([
      's-1',
      's-3',
    ])
    expect((await api.get('/studios?filter[films][all]=f-3,f-4')).ids('studios')).toEqual(['s-3'])
    expect((await api.get('/genres?filter[films][all]=f-3,f-4')).ids('genres')).toEqual([
      'g-1',
      'g-3',
    ])
    expect((await api.get('/genres?filter[films][any]=f-2')).ids('genres')).toEqual(['g-2'])
  })

  it.each([
    'eq',
    'ne',
    'gt',
    'gte',
    'lt',
    'lte',
    'in',
    'nin',
    'contains',
    'startsWith',
    'endsWith',
    'like',
  ])('refuses %s without a value, in an expression as in brackets', async (operator) => {
    const field = ['contains', 'startsWith', 'endsWith', 'like'].includes(operator)
      ? 'title'
      : 'year'
    for (const filter of [`${operator}(${field})`, `not(${operator}(${field}))`]) {
      const { status, errors } = await api.get(`/films?filter=${filter}`)
      expect([filter, status, errors.map(({ code }) => code)]).toEqual([
        filter,
        400,
        ['invalid-filter'],
      ])
    }
  })

  it.each(['any(tags)', 'all(tags)', 'any(genres)', 'all(genres)', 'isNull(year,null)'])(
    'refuses %s without something to compare with',
    async (filter) => {
      const { status, errors } = await api.get(`/films?filter=${filter}`)
      expect([status, errors.map(({ code }) => code)]).toEqual([400, ['invalid-filter']])
    },
  )

  it('responds with the whole list without a filter', async () => {
    expect((await api.get('/films')).ids('films')).toEqual(allFilms)
  })

  it('reads brackets and quotes alike, raw and percent-encoded', async () => {
    const response = await api.get('/films?filter%5Btitle%5D%5Beq%5D=M')
    expect(response.ids('films')).toEqual(['f-2'])
    expect((await api.get('/films?filter=eq(title%2C%27M%27)')).ids('films')).toEqual(['f-2'])
  })

  it('never parses a filter value as part of the query', async () => {
    const hostile = ["' OR 1=1 --", '"; drop table film; --', "M') or ('1'='1", '\\', '%', '🎬']
    for (const text of hostile) {
      const response = await api.get(`/films?filter[title]=${encodeURIComponent(text)}`)
      expect([response.status, response.ids('films')], text).toEqual([200, []])
    }
    expect((await api.get('/films')).ids('films')).toEqual(allFilms)
  })

  describe('cannot filter', () => {
    it.each([
      [
        'a field that does not exist',
        'filter[director]=Lang',
        'filter[director]',
        'unknown-field',
        ['director', 'title', 'year'],
      ],
      [
        'a field of a related item that does not exist',
        'filter[studio.owner]=x',
        'filter[studio.owner]',
        'unknown-field',
        ['owner', 'name', 'founded'],
      ],
      [
        'a member of a struct that does not exist',
        'filter[size.depth]=1',
        'filter[size.depth]',
        'unknown-field',
        ['depth', 'width'],
      ],
      [
        'a hidden field',
        'filter[costPrice]=5',
        'filter[costPrice]',
        'unknown-field',
        ['costPrice', 'title'],
      ],
      [
        'a write-only field',
        'filter[password]=x',
        'filter[password]',
        'unknown-field',
        ['password', 'title'],
      ],
      [
        'a hidden field of a related item',
        'filter[studio.budget]=5',
        'filter[studio.budget]',
        'unknown-field',
        ['budget', 'name'],
      ],
      [
        "a field by the model's own name when the wire has another",
        'filter[length]=117',
        'filter[length]',
        'unknown-field',
        ['length', 'minutes'],
      ],
      [
        'through a relation to many',
        'filter[genres.name]=Horror',
        'filter[genres.name]',
        'unknown-field',
        ['genres'],
      ],
      [
        'an operator that does not exist',
        'filter[year][around]=1927',
        'filter[year][around]',
        'unknown-operator',
        ['around', 'eq', 'gte', 'isNull'],
      ],
      [
        'numbers by an operator of text',
        'filter[year][contains]=19',
        'filter[year][contains]',
        'unknown-operator',
        ['contains', 'eq', 'gte'],
      ],
      [
        'an array by equality',
        'filter[tags][eq]=city',
        'filter[tags][eq]',
        'unknown-operator',
        ['any', 'all'],
      ],
      ['a field whose filter is switched off', 'filter[notes]=x', 'filter[notes]', '', ['notes']],
      ['a struct as a whole', 'filter[size]=35', 'filter[size]', '', ['size']],
      [
        'text where a whole number is',
        'filter[year]=old',
        'filter[year]',
        'invalid-value',
        ['old'],
      ],
      [
        'a fraction where a whole number is',
        'filter[year]=19.5',
        'filter[year]',
        'invalid-value',
        ['19.5'],
      ],
      ['nothing where a number is', 'filter[rating]=', 'filter[rating]', 'invalid-value', []],
      [
        'text where a boolean is',
        'filter[restored]=yes',
        'filter[restored]',
        'invalid-value',
        ['yes', 'true', 'false'],
      ],
      [
        'a day that does not exist',
        'filter[released]=2023-02-30',
        'filter[released]',
        'invalid-value',
        ['2023-02-30'],
      ],
      [
        'a date where a point in time is',
        'filter[seenAt]=2024-05-01',
        'filter[seenAt]',
        'invalid-value',
        ['2024-05-01'],
      ],
      [
        'one unfit value of several',
        'filter[year][in]=1927,x',
        'filter[year][in]',
        'invalid-value',
        ['x'],
      ],
      [
        'a value that is none of those there are',
        'filter[format]=talkie',
        'filter[format]',
        'invalid-value',
        ['talkie', 'silent, sound'],
      ],
      [
        'one of several that is none of those there are',
        'filter[format][nin]=silent,talkie',
        'filter[format][nin]',
        'invalid-value',
        ['talkie', 'silent, sound'],
      ],
      [
        'isNull by anything but true or false',
        'filter[year][isNull]=perhaps',
        'filter[year][isNull]',
        'invalid-value',
        ['perhaps'],
      ],
      [
        'by three brackets',
        'filter[year][gt][x]=1',
        'filter[year][gt][x]',
        '',
        ['filter[field][operator]'],
      ],
    ])(
      '%s: 400 that names it and lists the alternatives',
      async (_, query, parameter, code, words) => {
        const response = await api.get(`/films?${query}`)
        expect(response.status).toBe(400)
        expect(response.errors).toHaveLength(1)
        expect(response.errors[0]?.source).toEqual({ parameter })
        if (code) expect(response.errors[0]?.code).toBe(code)
        for (const word of words) expect(response.errors[0]?.detail).toContain(word)
      },
    )

    it.each([
      "eq(title,'M'",
      "eq(title,'M'))",
      "eq(title,'M",
      'eq(title,M)',
      'eq(title',
      'eq',
      'title',
      '',
      'and()',
      'or()',
      'not()',
      "not(eq(title,'M'),eq(year,1927))",
      "eq(title,'M') or eq(year,1927)",
      "eq('title','M')",
      'eq(year)',
      'eq(year,1927,1931)',
      'isNull()',
      "eq(title,'It's')",
      'eq(title,"M")',
      'eq(year,01)',
      'eq(year,0x10)',
      'eq(year,undefined)',
    ])('by a malformed expression: filter=%s is 400', async (expression) => {
      const response = await api.get(`/films?filter=${encodeURIComponent(expression)}`)
      expect(response.status).toBe(400)
      expect(response.errors.map((error) => error.source)).toEqual([{ parameter: 'filter' }])
    })

    it.each([
      ["eq(year,'1927')", 'invalid-value'],
      ['eq(title,1927)', 'invalid-value'],
      ['eq(restored,1)', 'invalid-value'],
      ["eq(format,'talkie')", 'invalid-value'],
      ["eq(director,'Lang')", 'unknown-field'],
      ['eq(costPrice,5)', 'unknown-field'],
      ['around(year,1927)', 'unknown-operator'],
    ])(
      'by an expression that does not fit the model: filter=%s is %s',
      async (expression, code) => {
        const response = await api.get(`/films?filter=${encodeURIComponent(expression)}`)
        expect(response.status).toBe(400)
        expect(response.errors.map((error) => [error.code, error.source])).toEqual([
          [code, { parameter: 'filter' }],
        ])
      },
    )

    it('by a hidden field: the response is the one for an unknown field', async () => {
      const queries = [
        'filter[NAME]=1',
        'filter[NAME][gt]=1',
        'filter[NAME][nope]=1',
        'filter=gt(NAME,1)',
        'filter=isNull(NAME)',
        'sort=NAME',
        'sort=-NAME',
        'fields[films]=NAME',
        'include=NAME',
        'filter[sequelOf.NAME]=1',
        'sort=sequelOf.NAME',
        'filter[NAME.x]=1',
      ]
      for (const query of queries) {
        const detailOf = async (name: string) =>
          (await api.get(`/films?${query.replace('NAME', name)}`)).text.replaceAll(name, 'NAME')
        const unknown = await detailOf('fakePrice')
        expect(await detailOf('costPrice'), query).toBe(unknown)
        expect(await detailOf('password'), query).toBe(unknown)
      }
    })

    it('by too many conditions, or too deeply nested ones', async () => {
      const many = Array.from({ length: 200 }, (_, index) => `eq(year,${index})`).join(',')
      expect((await api.get(`/films?filter=or(${many})`)).errors[0]?.code).toBe('limit-exceeded')
      const deep = `${'not('.repeat(400)}eq(year,1)${')'.repeat(400)}`
      expect((await api.get(`/films?filter=${deep}`)).status).toBe(400)
      const values = Array.from({ length: 600 }, (_, index) => index).join(',')
      expect((await api.get(`/films?filter[year][in]=${values}`)).errors[0]?.code).toBe(
        'limit-exceeded',
      )
    })
  })
})

describe.each(stores)('GetList rule 1: text compares by code point, on $name', ({ make }) => {
  // By UTF-16 code units U+1D49C would come before U+FF5E, by a locale 'a' before 'Z'.
  const ordered = ['', 'A', 'Z', 'a', 'ab', 'b', 'é', 'ﬀ', '～', '𝒜', '🎬']
  const Word = model('word', { text: z.string() })
  let api: Client

  beforeAll(async () => {
    const { router, api: client } = service(await make(), [Word])
    await router.load(
      Word,
      ordered.map((text, index) => ({ id: `w-${String(index).padStart(2, '0')}`, text })).reverse(),
    )
    api = client
  })

  const texts = async (query: string) =>
    ((await api.get(`/words?${query}`)).at('/words') as { text: string }[]).map((word) => word.text)

  it('in sorts', async () => {
    expect(await texts('sort=text')).toEqual(ordered)
    expect(await texts('sort=-text')).toEqual(ordered.toReversed())
  })

  it('in comparisons', async () => {
    for (const [index, text] of ordered.entries()) {
      const value = encodeURIComponent(text)
      expect(await texts(`sort=text&filter[text][lt]=${value}`), text).toEqual(
        ordered.slice(0, index),
      )
      expect(await texts(`sort=text&filter[text][gte]=${value}`), text).toEqual(
        ordered.slice(index),
      )
      expect(await texts(`filter[text]=${value}`), text).toEqual([text])
    }
  })

  it('in searches, where _ matches one character, however many code units it has', async () => {
    expect(await texts('filter[text][like]=_&sort=text')).toEqual([
      'A',
      'Z',
      'a',
      'b',
      'é',
      'ﬀ',
      '～',
      '𝒜',
      '🎬',
    ])
    expect(await texts(`filter[text][contains]=${encodeURIComponent('🎬')}`)).toEqual(['🎬'])
  })
})
