import { createRouter, model, type Policy, type Router, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import type { OpenApiDocument } from 'resourcery/openapi'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { as, Caller, token } from '../support/access-world.ts'
import { type Client, client } from '../support/client.ts'

class Person extends model('person', { name: z.string() }) {}
class Note extends model('note', {
  text: z.string(),
  secret: z.string(),
  owner: toOne('person'),
}) {}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, ObjectSchema>>
  readonly required?: readonly string[]
}

const policies: readonly (readonly [string, Policy])[] = [
  ['plain REST', rest()],
  ['JSON:API', jsonApi()],
]

describe.each(policies)('A required relation under %s', (_, policy) => {
  const isJsonApi = policy.name === 'json-api'
  async function apiOf(prepare: (router: Router<Caller>) => void): Promise<Client> {
    const router = createRouter({
      policy,
      store: memory(),
      security: { authentication: [token], callerSchema: Caller },
      docsPage: true,
    })
    prepare(router)
    await router.load(Person, [{ id: 'ann', name: 'Ann' }])
    await router.load(Note, [{ id: 'n', text: 'bob', secret: 's', owner: 'ann' }])
    return client(router, undefined, isJsonApi ? 'application/vnd.api+json' : undefined)
  }
  async function ownerFor(api: Client, caller: string): Promise<Record<string, string>> {
    const document = (await api.get('/openapi.json', as(caller))).body as OpenApiDocument
    const words = ['Note', 'NoteCreate', 'NoteReplace', 'NotePatch'].map((name) => {
      const schema = document.components.schemas![name] as unknown as ObjectSchema
      const members = isJsonApi ? schema.properties.relationships! : schema
      const text = JSON.stringify(members.properties.owner)
      return [
        name,
        [
          members.required?.includes('owner') ? 'required' : 'optional',
          ...(text.includes('"null"') ? ['null'] : []),
          ...(text.includes('"readOnly":true') ? ['readOnly'] : []),
        ].join(' '),
      ]
    })
    return Object.fromEntries(words)
  }

  const alwaysSeen = {
    Note: 'required',
    NoteCreate: 'required',
    NoteReplace: 'required',
    NotePatch: 'optional',
  }
  const sometimesSeen = {
    Note: 'required null',
    NoteCreate: 'required',
    NoteReplace: 'optional null',
    NotePatch: 'optional null',
  }

  it('is nullable for those callers only from whom a rule hides related items', async () => {
    const api = await apiOf((router) => {
      router.prepare(Person).access(({ item, caller }) => ({
        read: item.id.equal(caller.id).or(caller.roles.contains('admin')),
      }))
      router.prepare(Note)
    })
    expect(await ownerFor(api, 'bob')).toEqual(sometimesSeen)
    expect(await ownerFor(api, 'x:admin')).toEqual(alwaysSeen)
    const tags = ['bob', 'cy', 'x:admin'].map(
      async (caller) => (await api.get('/openapi.json', as(caller))).etag,
    )
    const [bob, cy, admin] = await Promise.all(tags)
    expect(bob).toBe(cy)
    expect(bob).not.toBe(admin)
  })

  it('is nullable for all where a hook may hide related items', async () => {
    const api = await apiOf((router) => {
      const people = router.prepare(Person)
      people.access(({ caller }) => ({ read: caller.roles.contains('admin') }))
      people.use({ query: { getItem: (query) => query } })
      router.prepare(Note)
    })
    expect(await ownerFor(api, 'x:admin')).toEqual(sometimesSeen)
  })

  it('reads as null where a rule about the item hides it', async () => {
    const api = await apiOf((router) => {
      router.prepare(Person)
      router.prepare(Note).access(({ item, caller }) => ({
        fields: { owner: { read: item.text.equal(caller.id).or(caller.roles.contains('admin')) } },
      }))
    })
    expect(await ownerFor(api, 'cy')).toEqual(sometimesSeen)
    expect(await ownerFor(api, 'x:admin')).toEqual(alwaysSeen)
    const hidden = await api.get('/notes/n', as('cy'))
    const pointer = isJsonApi ? '/data/relationships/owner/data' : '/note/owner'
    expect(hidden.at(pointer)).toBeNull()
  })

  it('exists for those callers whom a rule about callers admits, and is required there', async () => {
    const api = await apiOf((router) => {
      router.prepare(Person)
      router.prepare(Note).access(({ caller }) => ({
        fields: { owner: { read: caller.roles.contains('admin') } },
      }))
    })
    expect(await ownerFor(api, 'x:admin')).toEqual(alwaysSeen)
    expect((await api.get('/openapi.json', as('bob'))).text).not.toContain('"owner"')
    // The responses of others have no null in its place.
    expect((await api.get('/notes/n', as('bob'))).text).not.toContain('"owner"')
  })

  it('is read-only where the service sets it, and nullable in responses if it may be hidden', async () => {
    const set = {
      Note: 'required readOnly',
      NoteCreate: 'optional readOnly',
      NoteReplace: 'optional readOnly',
      NotePatch: 'optional readOnly',
    }
    const api = await apiOf((router) => {
      router.prepare(Person).access(({ caller }) => ({ read: caller.roles.contains('admin') }))
      router.prepare(Note).access(({ caller }) => ({ set: { owner: caller.id } }))
    })
    expect(await ownerFor(api, 'x:admin')).toEqual(set)
    expect(await ownerFor(api, 'bob')).toEqual({
      Note: 'required null readOnly',
      NoteCreate: 'optional readOnly',
      NoteReplace: 'optional null readOnly',
      NotePatch: 'optional null readOnly',
    })
  })

  it('and a required value need not be sent again by those who do not see it', async () => {
    const api = await apiOf((router) => {
      router.prepare(Person).access(({ caller }) => ({ read: caller.roles.contains('admin') }))
      router.prepare(Note).access(({ item, caller }) => ({
        fields: { secret: { read: item.text.equal(caller.id) } },
      }))
    })
    const note = isJsonApi
      ? { data: { type: 'notes', id: 'n', attributes: { text: 'new' } } }
      : { note: { text: 'new' } }
    // The response, and that the document allows the request, are checked in every test.
    expect((await api.put('/notes/n', note, as('cy'))).status).toBe(200)
  })
})
