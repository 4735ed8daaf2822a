import { ApiError, createRouter, field, type ItemsOf, model, type Router, refuse } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, type ClientResponse, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

class Order extends model('order', { note: z.string() }) {}

const stockFields = {
  count: z.int().max(1000),
  reserve: field(z.int().min(0).default(9), { hidden: true }),
  supplierCode: field(z.string().optional(), { hidden: true, unique: true }),
}
class Stock extends model('stock', stockFields, {
  plural: 'stocks',
  validate: {
    check: ({ count }, issue) => {
      if (count < 0) issue('count', 'must not fall below zero')
    },
    description: 'A stock is never negative.',
  },
}) {}

/** What a hook or an action does without catching its errors. */
const works: Record<string, (items: ItemsOf) => Promise<unknown>> = {
  hiddenValue: (items) => items(Stock).update('s', { reserve: -5 }),
  hiddenUnique: (items) => items(Stock).create({ count: 1, supplierCode: 'secret' }),
  unknownMember: (items) => items(Stock).update('s', { supplier: 'x' } as never),
  otherValue: (items) => items(Stock).update('s', { count: 5000 }),
  severalItems: (items) => items(Stock).updateWhere((all) => all, { reserve: -5 }),
  missing: (items) => items(Stock).update('secret', { count: 1 }),
  itemRule: (items) => items(Stock).update('s', { count: -1 }),
  soldOut: (items) => items(Stock).update('s', { count: 0 }),
  caught: (items) =>
    items(Stock)
      .update('s', { reserve: -5 })
      .catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error
        refuse('unprocessable', `There are not enough: ${error.problems.length}.`)
      }),
}

const refused = (title: string) =>
  `The service refused a change that this request causes: ${title}.`

const expected: Record<
  string,
  [status: number, code: string, detail: string, report: 'refused' | 'error' | undefined]
> = {
  hiddenValue: [422, 'invalid-member', refused('invalid member'), 'refused'],
  hiddenUnique: [409, 'value-taken', refused('value not unique'), 'refused'],
  unknownMember: [422, 'unknown-member', refused('unknown member'), 'error'],
  otherValue: [422, 'invalid-member', refused('invalid member'), 'refused'],
  severalItems: [422, 'invalid-member', refused('invalid member'), 'refused'],
  missing: [404, 'not-found', refused('not found'), 'refused'],
  itemRule: [422, 'invalid-member', "'count' must not fall below zero.", undefined],
  soldOut: [409, 'conflict', 'Sold out.', undefined],
  caught: [422, 'unprocessable', 'There are not enough: 1.', undefined],
}

describe.each(stores)(
  'Errors of items that a hook or an action does not catch, on $name',
  ({ make }) => {
    let api: Client
    let jsonApiClient: Client
    let router: Router
    let reported: unknown[]
    let refusals: unknown[]

    beforeEach(async () => {
      const store = await make()
      reported = []
      refusals = []
      const onError = (error: unknown) => reported.push(error)
      const reports = { onError, onRefusal: (error: ApiError) => refusals.push(error) }
      router = createRouter({ policy: rest(), store, ...reports })
      const other = createRouter({ policy: jsonApi(), basePath: '/json-api', store, ...reports })
      for (const each of [router, other]) {
        each.prepare(Stock).use({
          write: {
            before: ({ kind, next }) => {
              if (kind === 'update' && next.count === 0)
                refuse('conflict', 'Sold out.', { pointer: '/count' })
            },
          },
        })
        each
          .prepare(Order)
          .use({
            write: {
              before: async ({ next, items }) => {
                await works[next?.note ?? '']?.(items)
              },
            },
          })
          .itemOperation(
            'work',
            async ({ input, items }) => {
              await works[input.name]?.(items)
            },
            { input: z.object({ name: z.string() }) },
          )
      }
      api = client(router)
      jsonApiClient = client(other, undefined, 'application/vnd.api+json')
      await router.items(Stock).create({ id: 's', count: 5, supplierCode: 'secret' })
      await router.items(Order).create({ id: 'o', note: 'none' })
    })

    const requests: Record<string, (name: string) => Promise<ClientResponse>> = {
      'a create': (name) => api.post('/orders', { order: { note: name } }),
      'an update': (name) => api.patch('/orders/o', { order: { note: name } }),
      'an action': (name) => api.post('/orders/o/work', { name }),
      'a JSON:API create': (name) =>
        jsonApiClient.post('/json-api/orders', {
          data: { type: 'orders', attributes: { note: name } },
        }),
      'a JSON:API action': (name) =>
        jsonApiClient.post('/json-api/orders/o/work', { meta: { name } }),
    }

    describe.each(Object.keys(requests))('in %s', (request) => {
      it.each(Object.keys(expected))(
        'show nothing that the client cannot see: %s',
        async (name) => {
          const response = await requests[request]!(name)
          const [status, code, detail, report] = expected[name]!
          expect(
            response.errors.map(({ code, detail, source }) => ({ code, detail, source })),
          ).toEqual([{ code, detail, source: undefined }])
          expect(response.status).toBe(status)
          expect(response.text).not.toMatch(/reserve|supplier|secret/)
          expect([reported.length, refusals.length]).toEqual([
            report === 'error' ? 1 : 0,
            report === 'refused' ? 1 : 0,
          ])
        },
      )
    })

    it('are reported as they are', async () => {
      await api.post('/orders', { order: { note: 'hiddenValue' } })
      expect((refusals[0] as ApiError).problems[0]!.source).toEqual({ pointer: '/reserve' })
    })

    it('point at the operation of a batch', async () => {
      const type = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'
      const data = { type: 'orders', attributes: { note: 'hiddenValue' } }
      const response = await jsonApiClient.post(
        '/json-api/operations',
        { 'atomic:operations': [{ op: 'add', data }] },
        { 'content-type': type, accept: type },
      )
      expect(response.errors[0]).toMatchObject({
        detail: refused('invalid member'),
        source: { pointer: '/atomic:operations/0' },
      })
      expect(refusals.length).toBe(1)
    })

    it('are for the code what they are', async () => {
      await expect(router.items(Stock).update('s', { reserve: -5 })).rejects.toMatchObject({
        problems: [{ code: 'invalid-member', source: { pointer: '/reserve' } }],
      })
    })
  },
)
