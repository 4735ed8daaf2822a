import {
  action,
  createRouter,
  file,
  hash,
  type Middleware,
  model,
  refuse,
  type Store,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { atomicType } from '../spec/support/atomic.ts'
import { mediaType } from '../spec/support/document-client.ts'
import { as, Caller, token } from '../support/access-world.ts'
import { type Client, type ClientResponse, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

class Note extends model('note', {
  text: z.string(),
  owner: z.string().default('ann'),
  isPublic: z.boolean().default(false),
  hash: hash(),
}) {
  sign() {
    this.text += ' (signed)'
    return { receipt: `receipt of ${this.owner}` }
  }
  touch() {
    this.text += '!'
  }
  static {
    action(this, 'sign', { output: z.object({ receipt: z.string() }) })
    action(this, 'touch')
  }
}
/** Anyone who is signed in may put one in; only admins take them out. */
const Letter = model('letter', { text: z.string(), hash: hash() })
/** The scan is for admins. */
const Paper = model('paper', {
  title: z.string(),
  scan: file({ types: ['text/plain'] }),
  hash: hash(),
})
const Drop = model('drop', { text: z.string(), hash: hash() })

/** All callers share their keys. */
function open(store: Store, policy: 'REST' | 'JSON:API') {
  const router = createRouter({
    policy: policy === 'REST' ? rest() : jsonApi(),
    store,
    blobs: memoryBlobs(),
    security: { authentication: [token], callerSchema: Caller, defaultAccess: 'closed' },
    idempotency: { scope: () => 'shared' },
  })
  router.prepare(Note).access(({ item, caller, signedIn }) => ({
    read: item.owner.equal(caller.id).or(item.isPublic.equal(true)),
    create: signedIn,
    update: item.owner.equal(caller.id),
    delete: item.owner.equal(caller.id),
    actions: { sign: item.owner.equal(caller.id), touch: item.owner.equal(caller.id) },
  }))
  router.prepare(Letter).access(({ caller, signedIn, nobody }) => ({
    read: caller.roles.contains('admin'),
    create: signedIn,
    update: nobody,
    delete: nobody,
  }))
  router.prepare(Paper).access(({ caller, anyone }) => ({
    read: anyone,
    create: anyone,
    update: anyone,
    delete: anyone,
    fields: { scan: { read: caller.roles.contains('admin') } },
  }))
  const readers: Middleware = {
    request: {
      read: ({ caller }) => {
        if (!(caller as Caller | undefined)?.roles.includes('admin'))
          refuse('forbidden', 'Only admins read what is dropped.')
      },
    },
    declares: { errors: ['forbidden'] },
  }
  router
    .prepare(Drop)
    .access(({ anyone }) => ({ read: anyone, create: anyone, update: anyone, delete: anyone }))
    .use(readers)
  const api = policy === 'REST' ? client(router) : client(router, 'http://localhost', mediaType)
  return { router, api, ...documents(policy, api) }
}

/** The same requests under each policy. */
function documents(policy: 'REST' | 'JSON:API', api: Client) {
  const plurals: Record<string, string> = {
    note: 'notes',
    letter: 'letters',
    paper: 'papers',
    drop: 'drops',
  }
  const body = (name: string, values: object, id?: string) =>
    policy === 'REST'
      ? { [name]: { ...(id !== undefined && { id }), ...values } }
      : { data: { type: plurals[name]!, ...(id !== undefined && { id }), attributes: values } }
  const headers = (who: string, key = 'k') => ({ ...as(who), 'idempotency-key': `"${key}"` })
  return {
    create: (who: string, name: string, values: object, id: string, key?: string) =>
      api.post(`/${plurals[name]}`, body(name, values, id), headers(who, key)),
    patch: (who: string, name: string, values: object, id: string, key?: string) =>
      api.patch(`/${plurals[name]}/${id}`, body(name, values, id), headers(who, key)),
    put: (who: string, name: string, values: object, id: string, key?: string) =>
      api.put(`/${plurals[name]}/${id}`, body(name, values, id), headers(who, key)),
    remove: (who: string, name: string, id: string, key?: string) =>
      api.delete(`/${plurals[name]}/${id}`, headers(who, key)),
    call: (who: string, path: string, key?: string) => api.post(path, undefined, headers(who, key)),
    member: (response: ClientResponse, name: string, member: string) =>
      response.at(policy === 'REST' ? `/${name}/${member}` : `/data/attributes/${member}`),
  }
}

function expectRefused(response: ClientResponse, status: number): void {
  expect(response.status, response.text).toBe(status)
  expect(response.headers.get('idempotency-replayed')).toBeNull()
  expect(response.text).not.toMatch(/secret|receipt/)
}

function expectReplayed(response: ClientResponse, status: number): void {
  expect(response.status, response.text).toBe(status)
  expect(response.headers.get('idempotency-replayed')).toBe('true')
}

const kinds = stores.flatMap((store) =>
  (['REST', 'JSON:API'] as const).map((policy) => ({ ...store, policy })),
)

describe.each(kinds)('a repeated request, on $name, with $policy', ({ make, policy }) => {
  it('of a creation is for those who read or change the item as it is now', async () => {
    const { router, create, member } = open(await make(), policy)
    const send = (who: string) => create(who, 'note', { text: 'secret' }, 'n-1')
    expect((await send('ann')).status).toBe(201)
    expectReplayed(await send('ann'), 201)
    expectRefused(await send('bob'), 403)
    await router.items(Note).update('n-1', { owner: 'bob' })
    expectRefused(await send('ann'), 403)
    // What ann has got is not for bob, who gets his item as it is.
    await router.items(Note).update('n-1', { text: 'changed' })
    const ofBob = await send('bob')
    expectReplayed(ofBob, 201)
    expect(member(ofBob, 'note', 'text')).toBe('changed')
    await router.items(Note).update('n-1', { isPublic: true })
    expectReplayed(await send('cy'), 201)
    expectReplayed(await send('ann'), 201)
  })

  it('of a creation by a caller who cannot read it, is for its maker until it is changed', async () => {
    const { router, create, member } = open(await make(), policy)
    const send = (who: string) => create(who, 'letter', { text: 'secret' }, 'l-1')
    expect((await send('ann')).status).toBe(201)
    const again = await send('ann')
    expectReplayed(again, 201)
    expect(member(again, 'letter', 'text')).toBe('secret')
    expectRefused(await send('bob'), 403)
    expectReplayed(await send('cy:admin'), 201)
    await router.items(Letter).update('l-1', { text: 'secret, with an answer' })
    expectRefused(await send('ann'), 403)
    await router.items(Letter).delete('l-1')
    expectReplayed(await send('ann'), 201)
    expectRefused(await send('bob'), 403)
    expectRefused(await send('ann:speaker'), 403)
  })

  it('of a creation asks the request hooks of reading', async () => {
    const { router, create } = open(await make(), policy)
    const send = (who: string) => create(who, 'drop', { text: 'secret' }, 'd-1')
    expect((await send('ann')).status).toBe(201)
    expectReplayed(await send('ann'), 201)
    expectRefused(await send('bob'), 403)
    expectReplayed(await send('cy:admin'), 201)
    await router.items(Drop).update('d-1', { text: 'secret, with an answer' })
    expectRefused(await send('ann'), 403)
  })

  it('of a change is for those who read or change the item as it is now', async () => {
    const { router, patch, put, call, member } = open(await make(), policy)
    await router.load(Note, [{ id: 'n-1', text: 'secret' }])
    const changes = [
      (who: string) => patch(who, 'note', { text: 'secret 1' }, 'n-1'),
      ...(policy === 'REST'
        ? [(who: string) => put(who, 'note', { text: 'secret 2', owner: 'ann' }, 'n-1')]
        : []),
      (who: string) => call(who, '/notes/n-1/touch'),
    ]
    for (const change of changes) {
      expect((await change('ann')).status).toBe(200)
      expectReplayed(await change('ann'), 200)
      expectRefused(await change('bob'), 404)
    }
    await router.items(Note).update('n-1', { owner: 'bob', text: 'of bob' })
    for (const change of changes) {
      expectRefused(await change('ann'), 404)
      const ofBob = await change('bob')
      expectReplayed(ofBob, 200)
      expect(member(ofBob, 'note', 'text')).toBe('of bob')
    }
  })

  it('of an action has its output for the very same caller only', async () => {
    const { router, call } = open(await make(), policy)
    await router.load(Note, [{ id: 'n-1', text: 'secret', isPublic: true }])
    const sign = (who: string) => call(who, '/notes/n-1/sign')
    const signed = await sign('ann')
    expect(signed.text).toContain('receipt of ann')
    expect((await sign('ann')).text).toBe(signed.text)
    const ofOther = await sign('ann:speaker')
    expectRefused(ofOther, 409)
    expect(ofOther.errors[0]!.code).toBe('response-not-kept')
    await router.items(Note).update('n-1', { owner: 'bob', isPublic: false })
    expectRefused(await sign('ann'), 404)
    expectRefused(await sign('bob'), 409)
  })

  it('of an item that was deleted is for the very same caller', async () => {
    const { router, patch, call, remove } = open(await make(), policy)
    await router.load(Note, [{ id: 'n-1', text: 'secret' }])
    const change = (who: string) => patch(who, 'note', { text: 'secret 1' }, 'n-1')
    const sign = (who: string) => call(who, '/notes/n-1/sign')
    const del = (who: string) => remove(who, 'note', 'n-1')
    expect((await change('ann')).status).toBe(200)
    expect((await sign('ann')).status).toBe(200)
    expect((await del('ann')).status).toBe(204)
    expectReplayed(await del('ann'), 204)
    expectReplayed(await change('ann'), 200)
    expectReplayed(await sign('ann'), 200)
    for (const other of ['bob', 'ann:speaker'])
      for (const send of [del, change, sign]) expectRefused(await send(other), 404)
    // Another item with this id hides as any other.
    await router.items(Note).create({ id: 'n-1', text: 'secret', owner: 'bob' })
    for (const send of [del, change, sign]) expectRefused(await send('ann'), 404)
  })

  it('tells nothing of a file that its caller does not see', async () => {
    const { router, patch } = open(await make(), policy)
    await router.load(Paper, [
      { id: 'p-1', title: 'One' },
      { id: 'p-2', title: 'One' },
    ])
    await router.items(Paper).setResource('p-1', 'scan', {
      bytes: new TextEncoder().encode('secret'),
      contentType: 'text/plain',
    })
    const answers = async (id: string) => {
      const send = () => patch('ann', 'paper', { title: 'Two' }, id)
      const responses = [await send()]
      await router.items(Paper).update(id, { title: 'Three' })
      responses.push(await send())
      await router.items(Paper).delete(id)
      responses.push(await send())
      return responses.map(({ status, text }) => [
        status,
        text.replaceAll(id, 'ID').replace(/"(?:hash|version)":"[\w-]{43}"/, '"version"'),
      ])
    }
    expect(await answers('p-1')).toEqual(await answers('p-2'))
  })
})

describe.each(stores)('a repeated batch, on $name', ({ make }) => {
  it('is for those who read or change all of its items', async () => {
    const { router, api } = open(await make(), 'JSON:API')
    await router.load(Note, [
      { id: 'n-1', text: 'One', isPublic: true },
      { id: 'n-2', text: 'Two', isPublic: true },
    ])
    const operations = [
      { op: 'add', data: { type: 'notes', id: 'n-3', attributes: { text: 'secret' } } },
      { op: 'update', data: { type: 'notes', id: 'n-1', attributes: { text: 'secret 1' } } },
      { op: 'remove', ref: { type: 'notes', id: 'n-2' } },
    ]
    const send = (who: string) =>
      api.post(
        '/operations',
        { 'atomic:operations': operations },
        {
          'content-type': atomicType,
          accept: atomicType,
          'idempotency-key': '"k"',
          ...as(who),
        },
      )
    const first = await send('ann')
    expect(first.status, first.text).toBe(200)
    const again = await send('ann')
    expectReplayed(again, 200)
    expect(again.text).toBe(first.text)
    // Both items are visible, but for bob no item has ever been deleted.
    await router.items(Note).update('n-3', { isPublic: true })
    expectRefused(await send('bob'), 404)
    await router.items(Note).update('n-3', { owner: 'bob', isPublic: false })
    expectRefused(await send('ann'), 403)
  })
})
