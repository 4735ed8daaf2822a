import { createRouter, model, type Policy, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { webhooks } from 'resourcery/webhooks'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { as, Caller, token } from '../support/access-world.ts'
import { client } from '../support/client.ts'

const SecretThing = model('secret-thing', { codeWord: z.string(), budget: z.number() })
const Book = model('book', {
  title: z.string(),
  secret: toOne('secret-thing', { optional: true }),
})

function api(policy: Policy) {
  const router = createRouter({
    policy,
    store: memory(),
    docsPage: true,
    security: { authentication: [token], callerSchema: Caller },
  })
  router.prepare(Book)
  router.prepare(SecretThing).access(({ caller }) => {
    const admin = caller.roles.contains('admin')
    return { read: admin, create: admin, update: admin, delete: admin }
  })
  return client(router)
}

describe.each([
  { name: 'REST', policy: rest() },
  { name: 'JSON:API', policy: jsonApi() },
])('The document of a caller to whom a model is closed, under $name', ({ policy }) => {
  const documentFor = async (caller?: string) =>
    (await api(policy).get('/openapi.json', as(caller))).text

  it('has no member of it: not in schemas, nor in `fields`, `filter`, `sort` and `include`', async () => {
    const text = await documentFor()
    expect(text).toContain('"title"')
    expect(text).not.toMatch(/codeWord|budget/)
    const { components } = JSON.parse(text)
    expect(components.parameters.Fields.schema.properties).toHaveProperty('books')
    expect(components.parameters.Fields.schema.properties).not.toHaveProperty('secret-things')
    expect(components.parameters).not.toHaveProperty('BookInclude')
  })

  it('has them for those who may read it', async () => {
    const text = await documentFor('ann:admin')
    expect(text).toMatch(/codeWord/)
    const { components } = JSON.parse(text)
    expect(components.parameters.Fields.schema.properties).toHaveProperty('secret-things')
    expect(components.parameters).toHaveProperty('BookInclude')
  })
})

describe('The events of webhooks in the document', () => {
  it('are those of models whose changes the reader may get', async () => {
    const router = createRouter({
      policy: rest(),
      store: memory(),
      docsPage: true,
      changes: true,
      security: {
        authentication: [token],
        callerSchema: Caller,
        cursorSecret: 'a secret for documents of webhooks',
      },
    })
    router.prepare(Book)
    router.prepare(SecretThing).access(({ caller }) => ({ read: caller.roles.contains('admin') }))
    webhooks(router, { models: [Book, SecretThing], callerOf: () => undefined })
    const eventsFor = async (caller?: string) =>
      Object.keys(JSON.parse((await client(router).get('/openapi.json', as(caller))).text).webhooks)
    const ofBooks = ['created', 'updated', 'deleted', 'reset'].map((event) => `book.${event}`)
    expect(await eventsFor()).toEqual(ofBooks)
    expect(await eventsFor('ann:admin')).toHaveLength(8)
    await router.close()
  })
})
