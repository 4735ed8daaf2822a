import { expect } from 'vitest'
import { z } from 'zod'
import { type AnyModel, field, hash, model, toMany, toOne } from '../../index.ts'
import {
  type Condition,
  describeModels,
  idEquals,
  type ModelDescription,
  readStoredValues,
  type Scalar,
  toFieldPath,
} from '../../store/public.ts'
import { idsOf, insert, matching, planOf, type Suite } from './harness.ts'
import { contentOf, itemOf } from './models.ts'

const title = z.string().nullish()

const first = one(model('film', { title, year: z.int().nullish() }))

const [film, studio] = describeModels([
  model('film', {
    title,
    year: field(z.int().nullish(), { index: true }),
    code: field(z.string().nullish(), { unique: true }),
    rating: z.number().nullish(),
    note: field(z.string().nullish(), { hidden: true }),
    tags: z.array(z.string()).nullish(),
    size: z.object({ width: z.number().nullish() }).nullish(),
    studio: toOne('studio', { optional: true }),
    sequels: toMany('film'),
    hash: hash(),
  }),
  model('studio', { name: title, films: toMany('film', { inverse: 'studio' }) }),
]) as readonly [ModelDescription, ModelDescription]

function one(of: AnyModel): ModelDescription {
  return describeModels([of])[0]!
}

function equal(name: string, value: Scalar): Condition {
  return { kind: 'compare', path: toFieldPath(name), operator: 'equal', value }
}

export function opening(suite: Suite): void {
  suite.alone(
    'keeps what it holds when it is opened again',
    async (store) => {
      await insert(store, first, { id: 'f-1', title: 'Metropolis', year: 1927 })
      await store.open([first])
      expect(contentOf((await store.find(first, idEquals('f-1')))!)).toEqual(
        contentOf(itemOf(first, { id: 'f-1', title: 'Metropolis', year: 1927 })),
      )
      expect(await matching(store, first, equal('year', 1927))).toEqual(['f-1'])
    },
    [first],
  )

  suite.alone(
    'makes room for models and fields that are added, and brings the items into their form',
    async (store) => {
      await insert(store, first, { id: 'f-1', title: 'Metropolis', year: 1927 })
      await insert(store, first, { id: 'f-2', title: 'M', year: 1931 })
      await store.open([film, studio])
      const renewed = (await store.find(film, idEquals('f-1')))!
      const values = { id: 'f-1', title: 'Metropolis', year: 1927, studio: null, sequels: [] }
      expect(readStoredValues(film, renewed)).toEqual(values)
      expect(JSON.parse(renewed.text)).toEqual({ ...values, hash: renewed.hash })
      expect(renewed.text.slice(renewed.relationsOffset)).toBe(
        `,"studio":null,"sequels":[],"hash":"${renewed.hash}"}`,
      )

      for (const name of ['code', 'rating', 'note', 'size.width', 'studio', 'studio.name']) {
        expect(await matching(store, film, equal(name, null)), name).toEqual(['f-1', 'f-2'])
        const sorted = planOf({ kind: 'always' }, [
          { path: toFieldPath(name), direction: 'desc' },
          { path: toFieldPath('year'), direction: 'desc' },
        ])
        expect(await idsOf(store, film, sorted), name).toEqual(['f-2', 'f-1'])
      }
      for (const name of ['tags', 'sequels']) {
        const of = (quantity: 'any' | 'all', values: Scalar[]) =>
          matching(store, film, { kind: 'members', path: toFieldPath(name), quantity, values })
        expect(await of('any', ['x', null])).toEqual([])
        expect(await of('all', [])).toEqual(['f-1', 'f-2'])
      }

      const full = {
        id: 'f-3',
        title: 'Alien',
        year: 1979,
        code: 'x',
        rating: 8.5,
        note: 'n',
        tags: ['t'],
      }
      await insert(store, studio, { id: 's-1', name: 'Fox' })
      await insert(store, film, { ...full, size: { width: 70 }, studio: 's-1', sequels: ['f-1'] })
      const conditions = [
        equal('code', 'x'),
        equal('rating', 8.5),
        equal('note', 'n'),
        equal('studio.name', 'Fox'),
      ]
      for (const condition of [...conditions, equal('size.width', 70)]) {
        expect(await matching(store, film, condition)).toEqual(['f-3'])
      }
      const inverse: Condition = {
        kind: 'members',
        path: toFieldPath('films'),
        quantity: 'any',
        values: ['f-3'],
      }
      expect(await matching(store, studio, inverse)).toEqual(['s-1'])

      const taking = itemOf(film, { id: 'f-1', title: 'Metropolis', code: 'x' }, 2)
      expect(await store.write((work) => work.replace(film, taking))).toEqual({
        kind: 'taken',
        fields: ['code'],
      })
      const free = itemOf(film, { id: 'f-1', title: 'Metropolis', code: 'y', tags: ['t'] }, 2)
      expect(await store.write((work) => work.replace(film, free))).toMatchObject({
        kind: 'written',
      })
      expect(contentOf((await store.find(film, idEquals('f-1')))!)).toEqual(contentOf(free))
      const tagged: Condition = {
        kind: 'members',
        path: toFieldPath('tags'),
        quantity: 'any',
        values: ['t'],
      }
      expect(await matching(store, film, tagged)).toEqual(['f-1', 'f-3'])
    },
    [first],
  )

  suite.alone(
    'opens more models one after the other',
    async (store) => {
      await insert(store, first, { id: 'f-1' })
      const other = one(model('actor', { name: title }))
      await store.open([other])
      await insert(store, other, { id: 'a-1', name: 'Brigitte' })
      expect(await matching(store, other, equal('name', 'Brigitte'))).toEqual(['a-1'])
      expect(await matching(store, first, equal('title', null))).toEqual(['f-1'])
    },
    [first],
  )
}
