import { createRouter, hash, model, type Policy, type Store, toMany, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { mapPaths } from '../../src/query/conditions.ts'
import type { Condition, FieldPath, PathCondition } from '../../src/query/query-plan.ts'
import { mapSortPaths } from '../../src/query/sort-keys.ts'
import { type Client, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Person = model('person', {
  name: z.string(),
  isPublic: z.boolean(),
  email: z.string().nullish(),
  age: z.int().nullish(),
  about: z.string().nullish(),
  mentor: toOne('person', { optional: true }),
  pupils: toMany('person', { inverse: 'mentor' }),
  hash: hash(),
})

const isPublic: Condition = {
  kind: 'compare',
  path: { names: ['isPublic'] },
  operator: 'equal',
  value: true,
}
const guardedNames = ['email', 'age', 'about']

function guard(path: FieldPath): FieldPath {
  const guards = path.names.flatMap((name, depth): PathCondition[] =>
    guardedNames.includes(name) ? [{ depth, condition: isPublic }] : [],
  )
  return { ...path, guards }
}

/** A policy whose filters and sorts read the values of public people alone. */
function withGuards(policy: Policy): Policy {
  return {
    name: policy.name,
    serializer: policy.serializer,
    rules: (...args) =>
      policy.rules(...args).map((rule) =>
        Object.freeze({
          ...rule,
          parameters: rule.parameters.map((parameter) => ({
            ...parameter,
            read: (entries: Parameters<typeof parameter.read>[0]) => {
              const result = parameter.read(entries)
              if (result.kind !== 'accepted') return result
              const { condition, sort } = result.change
              const change = {
                ...result.change,
                ...(condition && { condition: mapPaths(condition, guard) }),
                ...(sort && { sort: sort.map((key) => mapSortPaths(key, guard)) }),
              }
              return { kind: 'accepted' as const, change }
            },
          })),
        }),
      ),
  }
}

// Longer than a cursor, so that a page after it has to be found by a query.
const long = 'x'.repeat(5_000)
const secret = 'secret@example.com'
const people = Array.from({ length: 9 }, (_, index) => ({
  id: `p-${index}`,
  name: `Person ${index % 4}`,
  isPublic: index % 3 !== 1,
  email: index % 3 === 1 ? secret : `mail-${(index * 7) % 9}@example.com`,
  age: 20 + ((index * 5) % 4),
  about: `${long}${(index * 4) % 9}`,
  mentor: index === 0 ? null : `p-${index >> 1}`,
}))
const shownPeople = people.map((person) =>
  person.isPublic ? person : { ...person, email: null, age: null, about: null },
)

describe.each(stores)('Lists by guarded values, on $name', ({ make }) => {
  const serve = async (store: Store, policy: Policy, items: readonly object[]): Promise<Client> => {
    const router = createRouter({ policy, store })
    router.prepare(Person)
    await router.load(Person, items as never)
    return client(router)
  }

  const pagesOf = async (api: Client, path: string, rel: 'next' | 'prev') => {
    const pages: (readonly string[])[] = []
    const links: string[] = []
    for (let next: string | undefined = path; next; ) {
      const page = await api.get(next)
      expect(page.status, page.text).toBe(200)
      pages.push(page.ids('people'))
      next = page.link(rel)
      if (next) links.push(next)
    }
    return { pages, links }
  }

  it('have the items and pages of lists in which the hidden values are missing', async () => {
    const guarded = await serve(await make(), withGuards(rest()), people)
    const plain = await serve(await make(), rest(), shownPeople)
    for (const query of [
      'sort=email',
      'sort=-email',
      'sort=age,-name',
      'sort=-about',
      'sort=about',
      'sort=mentor.email',
      'sort=-mentor.age,id',
      `filter[email]=${secret}`,
      'filter[email][ne]=mail-0@example.com&sort=-age',
      'filter[age][gte]=21',
      'filter[age][lt]=22&sort=mentor.email',
      'filter[mentor.email][istartsWith]=MAIL&sort=about',
    ]) {
      const expected = await plain.get(`/people?${query}`)
      expect(expected.status, expected.text).toBe(200)
      const whole = await guarded.get(`/people?${query}`)
      expect(whole.ids('people'), query).toEqual(expected.ids('people'))
      for (const size of [1, 2, 4]) {
        const path = `/people?${query}&page[size]=${size}`
        const { pages, links } = await pagesOf(guarded, path, 'next')
        expect(pages.flat(), path).toEqual(expected.ids('people'))
        expect(pages, path).toEqual((await pagesOf(plain, path, 'next')).pages)
        for (const link of links) expect(decodeCursors(link)).not.toContain(secret)
        const last = links.at(-1)
        if (!last) continue
        const backwards = await pagesOf(guarded, last, 'prev')
        const ids = backwards.pages.toReversed().flat()
        expect(ids, path).toEqual(expected.ids('people').slice(-ids.length))
        expect(ids.length, path).toBe(expected.ids('people').length)
      }
      const related = `/people/p-1/pupils?${query}`
      expect((await guarded.get(related)).ids('people'), related).toEqual(
        (await plain.get(related)).ids('people'),
      )
    }
  })
})

function decodeCursors(link: string): string {
  const { searchParams } = new URL(link, 'http://localhost')
  return ['page[after]', 'page[before]']
    .map((name) => Buffer.from((searchParams.get(name) ?? '').slice(1), 'base64url').toString())
    .join()
}
