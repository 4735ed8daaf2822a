import { createHash } from 'node:crypto'
import { field, hash, model } from 'resourcery'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Client } from '../support/client.ts'
import { expectPointersInto } from '../support/pointers.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const size = z.object({ width: z.number() })

/** Refers to itself. */
const branch = z.object({
  name: z.string(),
  get branches() {
    return z.array(branch).optional()
  },
})

/** Structs wherever a schema can nest them. */
const Crate = model('crate', {
  nullable: size.nullish(),
  withDefault: size.default({ width: 1 }),
  readonly: size.readonly().optional(),
  list: z.array(size.nullable()).optional(),
  record: z.record(z.string(), size).optional(),
  tuple: z.tuple([z.string(), size]).optional(),
  either: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), x: z.number() }),
      z.object({ kind: z.literal('b') }),
    ])
    .optional(),
  both: z.intersection(size, z.object({ height: z.number() })).optional(),
  loose: z.looseObject({ width: z.number() }).optional(),
  free: z.record(z.string(), z.unknown()).optional(),
  tree: branch.optional(),
})

const secret = (text: string) => createHash('sha256').update(text).digest('hex')

/** Validators that transform values, or are asynchronous. */
const Account = model('account', {
  name: z.string().trim().min(1),
  note: z.string().optional(),
  label: z
    .string()
    .transform((text) => `${text}!`)
    .pipe(z.string())
    .optional(),
  rank: z.union([z.int(), z.string().transform(Number).pipe(z.int())]).optional(),
  password: field(z.string().min(3).transform(secret).pipe(z.string()).optional(), {
    writeOnly: true,
    filter: false,
  }),
  email: z
    .string()
    .refine(async (text) => {
      await new Promise(setImmediate)
      return text.includes('@')
    }, 'expected is an address')
    .optional(),
  hash: hash(),
})

describe.each(stores)('Writing structs that schemas wrap, on $name', ({ make, layout }) => {
  let api: Client

  beforeEach(async () => {
    api = service(await make(), [Crate]).api
    await api.post('/crates', { crate: { id: 'c-1' } })
  })

  it.each([
    [{ nullable: { width: 1, depth: 2 } }, '/crate/nullable/depth'],
    [{ withDefault: { width: 1, depth: 2 } }, '/crate/withDefault/depth'],
    [{ readonly: { width: 1, depth: 2 } }, '/crate/readonly/depth'],
    [{ list: [null, { width: 1, depth: 2 }] }, '/crate/list/1/depth'],
    [{ record: { big: { width: 1, depth: 2 } } }, '/crate/record/big/depth'],
    [{ tuple: ['x', { width: 1, depth: 2 }] }, '/crate/tuple/1/depth'],
    [{ either: { kind: 'b', depth: 2 } }, '/crate/either/depth'],
    [{ both: { width: 1, height: 1, depth: 2 } }, '/crate/both/depth'],
    [{ tree: { name: 'a', depth: 1 } }, '/crate/tree/depth'],
    [
      { tree: { name: 'a', branches: [{ name: 'b', branches: [{ name: 'c', depth: 3 }] }] } },
      '/crate/tree/branches/0/branches/0/depth',
    ],
  ])('an unknown nested member is 422, and the error names it: %j', async (members, pointer) => {
    const body = { crate: members }
    for (const response of [
      await api.post('/crates', body),
      await api.patch('/crates/c-1', body),
      await api.put('/crates/c-1', body),
    ]) {
      expect([
        response.status,
        response.errors.map((error) => [error.code, error.source?.pointer]),
      ]).toEqual([422, [['unknown-member', pointer]]])
      expectPointersInto(body, response)
    }
  })

  it.each([
    { nullable: { width: 1 } },
    { nullable: null },
    { list: [null, { width: 1 }] },
    { record: { big: { width: 1 }, small: { width: 0 } } },
    { tuple: ['x', { width: 1 }] },
    { either: { kind: 'a', x: 1 } },
    { either: { kind: 'b' } },
    { both: { width: 1, height: 1 } },
    { loose: { width: 1, anything: [1, { a: null }] } },
    { free: { a: 1, b: { c: [null] } } },
    { tree: { name: 'a', branches: [{ name: 'b', branches: [{ name: 'c' }] }] } },
  ])('a valid value is stored as it was sent: %j', async (members) => {
    const response = await api.post('/crates', { crate: { id: 'c-2', ...members } })
    expect(response.status).toBe(201)
    // A NULL of an optional column is an absent member.
    const isAbsent = layout === 'tables' && 'nullable' in members && members.nullable === null
    expect((await api.get('/crates/c-2')).at('/crate')).toMatchObject(isAbsent ? {} : members)
  })
})

describe.each(stores)(
  'Writing through schemas that change values or are asynchronous, on $name',
  ({ make }) => {
    const started = async () => {
      const { router, api } = service(await make(), [Account])
      const stored = async () => {
        for await (const item of router.query(Account).where('id').equal('x').exec()) return item
        return undefined
      }
      return { api, stored }
    }

    it('CreateItem stores the output of the schema', async () => {
      const { api, stored } = await started()
      const response = await api.post('/accounts', {
        account: {
          id: 'x',
          name: ' Mary ',
          label: 'a',
          rank: '5',
          password: 'swordfish',
          email: 'a@b',
        },
      })
      expect(response.status).toBe(201)
      expect(await stored()).toEqual({
        id: 'x',
        name: 'Mary',
        label: 'a!',
        rank: 5,
        password: secret('swordfish'),
        email: 'a@b',
      })
    })

    it('UpdateItem rule 4: preserves unmentioned fields as they are stored, without another transform', async () => {
      const { api, stored } = await started()
      await api.post('/accounts', {
        account: { id: 'x', name: 'Mary', label: 'a', rank: '5', password: 'swordfish' },
      })
      const before = await stored()
      const response = await api.patch('/accounts/x', { account: { note: 'changed' } })
      expect([response.status, response.errors]).toEqual([200, []])
      expect(await stored()).toEqual({ ...before, note: 'changed' })
    })

    it('ReplaceItem keeps write-only members as they are stored, without another transform', async () => {
      const { api, stored } = await started()
      await api.post('/accounts', { account: { id: 'x', name: 'Mary', password: 'swordfish' } })
      expect((await api.put('/accounts/x', { account: { name: 'Percy' } })).status).toBe(200)
      expect(await stored()).toMatchObject({ name: 'Percy', password: secret('swordfish') })
    })

    it('asynchronous validators are awaited, and block no other write', async () => {
      const { api } = await started()
      await api.post('/accounts', { account: { id: 'x', name: 'Mary', email: 'a@b' } })
      const responses = await Promise.all([
        api.patch('/accounts/x', { account: { email: 'nowhere' } }),
        api.patch('/accounts/x', { account: { email: 'c@d' } }),
        api.post('/accounts', { account: { id: 'y', name: 'y', email: 'nowhere' } }),
        api.post('/accounts', { account: { id: 'z', name: 'z', email: 'e@f' } }),
      ])
      expect(responses.map((response) => response.status)).toEqual([422, 200, 422, 201])
      expect(responses[0]?.errors[0]?.source).toEqual({ pointer: '/account/email' })
      expect((await api.get('/accounts/x')).at('/account/email')).toBe('c@d')
      expect((await api.get('/accounts')).ids('accounts')).toEqual(['x', 'z'])
    })
  },
)
