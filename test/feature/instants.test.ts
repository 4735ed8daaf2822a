import { field, model, type Store, toMany, toOne } from 'resourcery'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Client } from '../support/client.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const dateTime = z.iso.datetime({ offset: true })
const Room = model('room', {
  opens: dateTime.optional(),
  talks: toMany('talk', { inverse: 'room' }),
})
const Talk = model(
  'talk',
  {
    title: z.string().optional(),
    begins: dateTime.nullable().optional(),
    indexed: field(dateTime.optional(), { index: true }),
    code: field(dateTime.optional(), { unique: true }),
    secret: field(dateTime.optional(), { hidden: true }),
    slot: z.object({ ends: dateTime.optional() }).optional(),
    breaks: z.array(dateTime).optional(),
    room: toOne('room', { optional: true }),
  },
  { indexes: [['title', 'indexed']] },
)

/** In the order of the instants; entries of one group are equal. */
const instants = [
  [null],
  ['2023-12-31T23:30:00-00:45', '2024-01-01T00:15:00Z'],
  ['2024-05-01T10:00:00+02:00', '2024-05-01T08:00:00Z', '2024-05-01T08:00:00.000Z'],
  ['2024-05-01T08:00:00.05Z', '2024-05-01T10:00:00.0500+02:00'],
  ['2024-05-01T08:00:00.5Z', '2024-05-01T08:00:00.50Z', '2024-05-01T03:00:00.500-05:00'],
  ['2024-05-01T08:00:00.500001Z'],
  ['2024-05-01T09:00:00Z'],
  ['2024-05-01T08:30:00-01:00'],
] as const

const talks = instants.flatMap((same, index) =>
  same.map((begins, nth) => ({
    id: `t-${index}-${nth}`,
    begins,
    indexed: begins ?? undefined,
    title: 'x',
  })),
)
const idsFrom = (first: number, last: number) =>
  talks.filter(({ id }) => +id[2]! >= first && +id[2]! <= last).map(({ id }) => id)
const shuffled = talks.toSorted((talk, other) =>
  talk.id.slice(-1).localeCompare(other.id.slice(-1)),
)

describe.each(stores)(
  'Date-times compare as the instants that they name, on $name',
  ({ make, layout }) => {
    let api: Client
    let store: Store
    beforeEach(async () => {
      store = await make()
      const fixture = service(store, [Room, Talk])
      await fixture.router.load(Room, [
        { id: 'r-1', opens: '2024-05-01T10:00:00+02:00' },
        { id: 'r-2', opens: '2024-05-01T09:00:00Z' },
      ])
      await fixture.router.load(Talk, shuffled)
      api = fixture.api
    })
    const ids = async (query: string) => {
      const response = await api.get(`/talks?${query}`)
      expect(response.status, response.text).toBe(200)
      return response.ids('talks')
    }
    const value = (text: string) => encodeURIComponent(text)

    const upwards = talks.map(({ id }) => id)
    // Ties are ordered by id, in the direction of the sort.
    const downwards = upwards.toReversed()

    it.each(['begins', 'indexed', 'title,indexed'])(
      'in sorts, with pages too: %s',
      async (sort) => {
        expect(await ids(`sort=${sort}`)).toEqual(upwards)
        const down = sort.startsWith('title') ? '-title,-indexed' : `-${sort}`
        expect(await ids(`sort=${down}`)).toEqual(downwards)
        for (const [order, whole] of [
          [sort, upwards],
          [down, downwards],
        ] as const) {
          const walked: string[] = []
          for (let next: string | undefined = `/talks?sort=${order}&page[size]=2`; next; ) {
            const page = await api.get(next)
            walked.push(...page.ids('talks'))
            next = page.link('next')
          }
          expect(walked).toEqual(whole)
        }
      },
    )

    it.each(['begins', 'indexed'])(
      'in filters, however client and item write them: %s',
      async (name) => {
        for (const [index, same] of instants.entries()) {
          for (const text of same) {
            if (text === null) continue
            const compared = async (operator: string) =>
              (await ids(`filter[${name}][${operator}]=${value(text)}`)).toSorted()
            expect(await compared('eq')).toEqual(idsFrom(index, index))
            expect(await compared('ne')).toEqual([
              ...idsFrom(0, index - 1),
              ...idsFrom(index + 1, 9),
            ])
            expect(await compared('gt')).toEqual(idsFrom(index + 1, 9))
            expect(await compared('gte')).toEqual(idsFrom(index, 9))
            expect(await compared('lt')).toEqual(idsFrom(0, index - 1))
            expect(await compared('lte')).toEqual(idsFrom(0, index))
            expect(await compared('in')).toEqual(idsFrom(index, index))
          }
        }
        const two = `${value('2024-05-01T09:30:00+01:30')},${value('2024-05-01T09:30:00Z')}`
        expect((await ids(`filter[${name}][in]=${two}`)).toSorted()).toEqual([
          ...idsFrom(2, 2),
          ...idsFrom(7, 7),
        ])
        expect((await ids(`filter[${name}][nin]=${two}`)).toSorted()).toEqual([
          ...idsFrom(0, 1),
          ...idsFrom(3, 6),
        ])
      },
    )

    // Columns of tables hold microseconds, in UTC.
    const itAsWritten = it.skipIf(layout === 'tables')

    itAsWritten('to the last digit of a fraction', async () => {
      const [first, second] = ['2024-06-01T08:00:00.500000001Z', '2024-06-01T08:00:00.500000002Z']
      await api.post('/talks', { talk: { id: 'f-2', begins: second } })
      await api.post('/talks', { talk: { id: 'f-1', begins: first } })
      expect(await ids(`filter[begins][gte]=${value(first)}&sort=begins`)).toEqual(['f-1', 'f-2'])
      expect(await ids(`filter[begins][gt]=${value(first)}`)).toEqual(['f-2'])
    })

    itAsWritten('but are sent and searched as the text that was written', async () => {
      expect((await api.get('/talks/t-2-0')).at('/talk/begins')).toBe('2024-05-01T10:00:00+02:00')
      for (const name of ['begins', 'indexed']) {
        expect(await ids(`filter[${name}][endsWith]=${value('+02:00')}`)).toEqual([
          't-2-0',
          't-3-1',
        ])
        expect(await ids(`filter[${name}][startsWith]=${value('2024-05-01T10')}`)).toEqual([
          't-2-0',
          't-3-1',
        ])
        expect(await ids(`filter[${name}][contains]=.50Z`)).toEqual(['t-4-1'])
      }
    })

    it('inside structs and arrays, behind relations, and where they are hidden', async () => {
      const fixture = service(store, [Room, Talk])
      await fixture.router.load(Talk, [
        {
          id: 'u-1',
          slot: { ends: '2024-05-01T10:00:00+02:00' },
          room: 'r-2',
          breaks: ['2024-05-01T10:00:00+02:00', '2024-05-01T08:00:00Z'],
        },
        {
          id: 'u-2',
          slot: { ends: '2024-05-01T09:00:00Z' },
          room: 'r-1',
          breaks: ['2024-05-01T09:00:00.0Z', '2024-05-01T08:00:00Z'],
        },
      ])
      const only = 'filter[room][isNull]=false'
      expect(await ids(`${only}&sort=slot.ends`)).toEqual(['u-1', 'u-2'])
      expect(await ids(`${only}&sort=room.opens`)).toEqual(['u-2', 'u-1'])
      expect(await ids(`filter[slot.ends]=${value('2024-05-01T08:00:00.0Z')}`)).toEqual(['u-1'])
      expect(await ids(`filter[room.opens][lt]=${value('2024-05-01T08:30:00Z')}&${only}`)).toEqual([
        'u-2',
      ])
      expect(await ids(`filter[breaks][any]=${value('2024-05-01T11:00:00+02:00')}`)).toEqual([
        'u-2',
      ])
      const all = `${value('2024-05-01T07:00:00-01:00')},${value('2024-05-01T08:00:00Z')}`
      expect(await ids(`filter[breaks][all]=${all}`)).toEqual(['u-1', 'u-2'])
    })

    it('for hooks that filter and sort', async () => {
      const { router, api: hooked } = service(store, [Room])
      router.prepare(Talk).use({
        query: {
          getList: (query) =>
            query.where('begins').greaterThan('2024-05-01T10:00:00.5+02:00').sort('begins', 'desc'),
        },
      })
      expect((await hooked.get('/talks')).ids('talks')).toEqual(idsFrom(5, 9).toReversed())
    })

    it('in unique fields: one instant is one value', async () => {
      const code = (text: string) => api.post('/talks', { talk: { code: text } })
      expect((await code('2024-05-01T10:00:00+02:00')).status).toBe(201)
      expect((await code('2024-05-01T08:00:00.00Z')).errors[0]?.source).toEqual({
        pointer: '/talk/code',
      })
      expect((await code('2024-05-01T08:00:01Z')).status).toBe(201)
    })
  },
)
