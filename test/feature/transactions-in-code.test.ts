import { createRouter, field, model, type Router, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { stores } from '../support/stores.ts'

class Author extends model('author', {
  name: z.string().refine(async (name) => Promise.resolve(name !== '')),
}) {}

class Book extends model('book', {
  title: z.string().min(1),
  price: z.number().default(5),
  isbn: field(z.string().optional(), { unique: true }),
  author: toOne<Author>('author', { optional: true, onDelete: 'cascade' }),
}) {}

describe.each(stores)('Transactions in code, on $name', ({ make }) => {
  let router: Router
  let committed: string[]
  let protectedId: string | undefined

  beforeEach(async () => {
    committed = []
    protectedId = undefined
    router = createRouter({ policy: rest(), store: await make() })
    router.prepare(Author)
    router.prepare(Book).use({
      write: {
        before: ({ previous, next, refuse }) => {
          if (!next && previous.id === protectedId) refuse('title', 'must stay')
        },
        after: async ({ item, items }) => {
          if (item?.title === 'Refused') throw new Error('No.')
          if (item?.title === 'Careless') items(Book).count()
          if (item?.title === 'Series') await router.items(Book).create({ title: 'Sequel' })
          if (item?.title === 'Hasty') router.items(Book).count()
          if (item?.title !== 'Tolerant') return
          await items(Author)
            .delete('austen')
            .catch(() => undefined)
        },
        afterCommit: ({ kind, item, previous }) => {
          committed.push(`${kind} ${(item ?? previous)?.id}`)
        },
      },
    })
    await router.items(Author).create({ id: 'austen', name: 'Jane Austen' })
    for (const id of ['emma', 'persuasion'])
      await router.items(Book).create({ id, title: id, isbn: id, author: 'austen' })
    committed.length = 0
  })

  const ids = async () => (await router.items(Book).all()).map(({ id }) => id).sort()
  const ignore = () => undefined

  it('go on after an error of an operation that has written nothing', async () => {
    await router.transaction(async (items) => {
      await items(Book).create({ id: 'other', title: 'Other', isbn: 'emma' }).catch(ignore)
      await items(Book).create({ id: 'emma', title: 'Emma' }).catch(ignore)
      await items(Book).create({ id: 'sanditon', title: 'Sanditon' })
    })
    expect(await ids()).toEqual(['emma', 'persuasion', 'sanditon'])
    expect(committed).toEqual(['create sanditon'])
  })

  it('are undone after an error that leaves a part of an operation, even if code catches it', async () => {
    protectedId = 'persuasion'
    const deleted = router.transaction((items) => items(Author).delete('austen').catch(ignore))
    await expect(deleted).rejects.toThrow("'title' must stay.")
    const refused = router.transaction(async (items) => {
      await items(Book).create({ title: 'Refused' }).catch(ignore)
    })
    await expect(refused).rejects.toThrow('No.')
    const several = router.transaction(async (items) => {
      await items(Book)
        .createMany([{ title: 'First' }, { title: '' }])
        .catch(ignore)
    })
    await expect(several).rejects.toThrow('title')
    const inHook = router.items(Book).create({ title: 'Tolerant' })
    await expect(inHook).rejects.toThrow("'title' must stay.")
    expect(await ids()).toEqual(['emma', 'persuasion'])
    expect(await router.items(Author).count()).toBe(1)
    expect(committed).toEqual([])
  })

  it('are undone after an error of a transaction that has joined them', async () => {
    const outer = router.transaction(async (items) => {
      await items(Book).create({ title: 'Outer' })
      const inner = router.transaction(async (inner) => {
        await inner(Book).create({ title: 'Inner' })
        throw new Error('Changed my mind.')
      })
      await inner.catch(ignore)
    })
    await expect(outer).rejects.toThrow('Changed my mind.')
    expect(await ids()).toEqual(['emma', 'persuasion'])
  })

  it('wait for asynchronous schemas, even if code catches all errors', async () => {
    await router.transaction(async (items) => {
      await items(Author).create({ id: 'eliot', name: 'George Eliot' }).catch(ignore)
    })
    expect(await router.items(Author).count()).toBe(2)
  })

  it('make one call after the other, so that none overwrites the change of another', async () => {
    await router.transaction(async (items) => {
      const changes = [{ price: 8 }, { title: 'EMMA' }, { isbn: 'new' }]
      await Promise.all(changes.map((change) => items(Book).update('emma', change)))
      await Promise.all(
        [9, 10].map((price) => items(Book).upsert({ id: 'new', title: 'New', price })),
      )
    })
    const emma = await router.items(Book).get('emma')
    expect(emma).toMatchObject({ price: 8, title: 'EMMA', isbn: 'new' })
    expect((await router.items(Book).get('new'))?.price).toBe(10)
  })

  it('are undone where code does not wait for a call', async () => {
    const message = 'uses items without waiting for them'
    const careless = router.transaction(async (items) => {
      items(Book).create({ title: 'Lost' })
    })
    await expect(careless).rejects.toThrow(message)
    const joined = router.transaction(async () => {
      router.items(Book).create({ title: 'Lost' })
    })
    await expect(joined).rejects.toThrow(message)
    for (const title of ['Careless', 'Hasty'])
      await expect(router.items(Book).create({ title })).rejects.toThrow(message)
    expect(await ids()).toEqual(['emma', 'persuasion'])
  })

  it('take the items of the router that hooks use', async () => {
    const response = await router.handle(
      new Request('http://localhost/books', {
        method: 'POST',
        body: JSON.stringify({ book: { title: 'Series' } }),
        headers: { 'content-type': 'application/json' },
      }),
    )
    expect(response.status).toBe(201)
    expect((await router.items(Book).all()).map(({ title }) => title)).toContain('Sequel')
    expect(committed).toHaveLength(2)
  })

  it('have ended for what their code has left running', async () => {
    let later: Promise<unknown> | undefined
    await router.transaction(async (items) => {
      await items(Book).count()
      later = new Promise((resolve) => setTimeout(resolve, 20)).then(() =>
        router.items(Book).create({ id: 'later', title: 'Later' }),
      )
    })
    await later
    expect(await ids()).toContain('later')
  })
})
