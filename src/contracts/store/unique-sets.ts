import { expect } from 'vitest'
import { z } from 'zod'
import { model, toOne } from '../../index.ts'
import {
  describeModels,
  type ModelDescription,
  type Store,
  type StoredValues,
  type WriteOutcome,
} from '../../store/public.ts'
import { insert, type Suite } from './harness.ts'
import { itemOf } from './models.ts'

const fields = {
  talk: toOne('talk', { optional: true, wire: 'talkId', onDelete: 'set-null' }),
  attendee: z.string().nullish(),
  seat: z.int().nullish(),
  isOpen: z.boolean().nullish(),
  status: z.enum(['new', 'old']).nullish(),
  startsAt: z.iso.datetime({ offset: true }).nullish(),
}

const Talk = model('talk', { title: z.string().nullish() })
const [talk, ticket] = describeModels([
  Talk,
  model('ticket', fields, {
    unique: [
      ['talk', 'attendee'],
      ['attendee', 'startsAt'],
      { fields: ['seat'], where: { isOpen: true, status: null } },
      { fields: ['attendee', 'seat'], where: { status: 'old' } },
    ],
  }),
]) as readonly [ModelDescription, ModelDescription]
const models = [talk, ticket] as const
const [, loose] = describeModels([Talk, model('ticket', fields)]) as typeof models

const write = (
  store: Store,
  kind: 'insert' | 'replace',
  values: StoredValues,
): Promise<WriteOutcome> =>
  store.write((transaction) => transaction[kind](ticket, itemOf(ticket, values)))

const taken = (...names: readonly string[]) => ({ kind: 'taken', fields: names })
const written = expect.objectContaining({ kind: 'written' })

export function uniqueSets(suite: Suite): void {
  suite.alone(
    'keeps the values of unique sets apart, and lets null be',
    async (store) => {
      await insert(store, talk, { id: 't-1' })
      await insert(store, talk, { id: 't-2' })
      const put = (values: StoredValues) => write(store, 'insert', values)
      expect(await put({ id: '1', talk: 't-1', attendee: 'ada' })).toEqual(written)
      expect(await put({ id: '2', talk: 't-1', attendee: 'ada' })).toEqual(
        taken('talk', 'attendee'),
      )
      expect(await put({ id: '1', talk: 't-1', attendee: 'ada' })).toEqual({ kind: 'exists' })
      expect(await put({ id: '2', talk: 't-2', attendee: 'ada' })).toEqual(written)
      expect(await put({ id: '3', talk: 't-1', attendee: 'Ada' })).toEqual(written)
      for (const id of ['4', '5']) {
        expect(await put({ id, attendee: 'bob' })).toEqual(written)
        expect(await put({ id: `${id}-t`, talk: 't-1', attendee: null })).toEqual(written)
      }
      const moved = { id: '2', talk: 't-1', attendee: 'ada' }
      expect(await write(store, 'replace', moved)).toEqual(taken('talk', 'attendee'))
      expect(await write(store, 'replace', { ...moved, talk: null })).toEqual(written)
      expect(await write(store, 'replace', { id: '1' })).toEqual(written)
      expect(await write(store, 'replace', moved)).toEqual(written)
    },
    models,
  )

  suite.alone(
    'compares the instants in unique sets',
    async (store) => {
      const put = (id: string, startsAt: string) =>
        write(store, 'insert', { id, attendee: 'ada', startsAt })
      expect(await put('1', '2024-05-01T10:00:00+02:00')).toEqual(written)
      expect(await put('2', '2024-05-01T08:00:00Z')).toEqual(taken('attendee', 'startsAt'))
      expect(await put('2', '2024-05-01T10:00:00Z')).toEqual(written)
    },
    models,
  )

  suite.alone(
    'holds a unique set with a condition for the items that satisfy it',
    async (store) => {
      const put = (values: StoredValues) => write(store, 'insert', values)
      expect(await put({ id: '1', seat: 1, isOpen: true })).toEqual(written)
      expect(await put({ id: '2', seat: 1, isOpen: true })).toEqual(taken('seat'))
      expect(await put({ id: '2', seat: 1, isOpen: false })).toEqual(written)
      expect(await put({ id: '3', seat: 1, isOpen: true, status: 'new' })).toEqual(written)
      expect(await put({ id: '4', seat: 1 })).toEqual(written)
      expect(await put({ id: '5', isOpen: true })).toEqual(written)
      const opened = { id: '2', seat: 1, isOpen: true }
      expect(await write(store, 'replace', opened)).toEqual(taken('seat'))
      expect(await write(store, 'replace', { id: '1', seat: 1, isOpen: false })).toEqual(written)
      expect(await write(store, 'replace', opened)).toEqual(written)
      const old = { attendee: 'ada', seat: 7, status: 'old' }
      expect(await put({ ...old, id: '6' })).toEqual(written)
      expect(await put({ ...old, id: '7' })).toEqual(taken('attendee', 'seat'))
      expect(await put({ ...old, id: '7', status: 'new' })).toEqual(written)
    },
    models,
  )

  suite.alone(
    'undoes what a failed transaction made unique',
    async (store) => {
      const values = { attendee: 'ada', startsAt: '2024-05-01T08:00:00Z' }
      const failure = new Error('rolled back')
      await expect(
        store.write(async (transaction) => {
          await transaction.insert(ticket, itemOf(ticket, { id: '1', ...values }))
          throw failure
        }),
      ).rejects.toBe(failure)
      expect(await write(store, 'insert', { id: '2', ...values })).toEqual(written)
      await store.write((transaction) => transaction.remove(ticket, '2'))
      expect(await write(store, 'insert', { id: '3', ...values })).toEqual(written)
    },
    models,
  )

  suite.alone(
    'adds a unique set to stored items',
    async (store) => {
      const values = { attendee: 'ada', seat: 3, status: 'old' }
      await insert(store, loose, { id: '1', ...values })
      await insert(store, loose, { id: '2', ...values, status: 'new' })
      await store.open(models)
      expect(await write(store, 'insert', { id: '3', ...values })).toEqual(
        taken('attendee', 'seat'),
      )
      expect(await write(store, 'insert', { id: '3', ...values, seat: 4 })).toEqual(written)
    },
    [talk, loose],
  )

  suite.alone(
    'refuses a unique set in which stored items have the same values',
    async (store) => {
      const values = { attendee: 'ada', seat: 3, status: 'old' }
      for (const id of ['1', '4']) await insert(store, loose, { id, ...values })
      await insert(store, loose, { id: '2', ...values, status: 'new' })
      await expect(store.open(models)).rejects.toThrow(/attendee.*seat/)
    },
    [talk, loose],
  )
}
