import { expect } from 'vitest'
import {
  always,
  andAlso,
  type Condition,
  type ManyRelation,
  type ModelDescription,
  type OffsetPlan,
  type RelatedStoredItem,
  type SortKey,
  type StoreReader,
  toFieldPath,
} from '../../store/public.ts'
import { insert, pageItems, type Suite, type World } from './harness.ts'
import { author, book, genre, publisher } from './models.ts'
import { expectedPage } from './oracle.ts'

/** A page as the tests compare it: its items and their positions. */
type Page = readonly { readonly id: string; readonly position: readonly unknown[] }[]

export const manyRelations: readonly (readonly [ModelDescription, ManyRelation])[] = [
  publisher,
  author,
  genre,
  book,
]
  .flatMap((model) => model.relations.map((relation) => [model, relation] as const))
  .filter((pair): pair is readonly [ModelDescription, ManyRelation] => pair[1].kind !== 'toOne')

/** The page of one owner by the definition in the contract. */
export function expectedOf(
  world: World,
  model: ModelDescription,
  relation: ManyRelation,
  owner: string,
  plan: OffsetPlan,
): Page {
  return expectedPage(world, relation.relatedModel, {
    ...plan,
    condition: andAlso(leadsFrom(), plan.condition),
  })

  function leadsFrom(): Condition {
    if (relation.kind === 'inverse') {
      const path = { names: [relation.inverseOf.name] }
      return relation.inverseOf.kind === 'toOne'
        ? { kind: 'oneOf', path, values: [owner] }
        : { kind: 'members', path, quantity: 'any', values: [owner] }
    }
    const items = world.filter(([one]) => one === model).flatMap(([, all]) => all)
    const ids = items.find(({ id }) => id === owner)?.[relation.name] ?? []
    return { kind: 'oneOf', path: { names: ['id'] }, values: ids as readonly string[] }
  }
}

export async function pagesOf(
  store: StoreReader,
  model: ModelDescription,
  relation: ManyRelation,
  owners: readonly string[],
  plan: OffsetPlan,
): Promise<ReadonlyMap<string, Page>> {
  const pages = new Map<string, { id: string; position: readonly unknown[] }[]>()
  let last: string | undefined
  for await (const batch of store.relatedPages(model, relation, owners, plan)) {
    expect(batch.length).toBeGreaterThan(0)
    for (const { ownerId, item, position } of batch as readonly RelatedStoredItem[]) {
      if (ownerId !== last)
        expect(pages.has(ownerId), 'the page of an owner stands together').toBe(false)
      last = ownerId
      pages.set(ownerId, [...(pages.get(ownerId) ?? []), { id: item.id, position }])
    }
  }
  return pages
}

const world: World = [
  [
    author,
    [
      { id: 'a-1', name: 'Ann', alive: true },
      { id: 'a-2', name: 'Bob', alive: false },
      { id: 'a-3', name: null },
    ],
  ],
  [
    genre,
    [
      { id: 'g-1', title: 'b', parent: null },
      { id: 'g-2', title: 'a', parent: 'g-1' },
      { id: 'g-3', title: 'a', parent: 'g-1' },
      { id: 'g-4', title: null, parent: 'g-1' },
      { id: '😀', title: 'c', parent: 'g-2' },
    ],
  ],
  [
    book,
    [
      { id: 'b-1', author: 'a-1', genres: ['g-3', 'g-1', 'g-2'], price: 5, notes: 'x' },
      { id: 'b-2', author: 'a-1', genres: ['😀', 'g-missing', 'g-1'], price: null },
      { id: 'b-3', author: 'a-1', genres: ['g-1'], price: 5 },
      { id: 'b-4', author: 'a-2', genres: [], price: 1 },
      { id: 'b-5', author: 'a-missing', genres: ['g-4'], price: 2 },
      { id: 'b-6', author: 'a-1', genres: null, price: 9, title: 'x' },
    ],
  ],
]

const owners: ReadonlyMap<ModelDescription, readonly string[]> = new Map([
  [author, ['a-2', 'a-1', 'a-3', 'a-missing']],
  [genre, ['g-1', 'g-2', '😀', 'g-missing']],
  [book, ['b-3', 'b-1', 'b-2', 'b-4', 'b-6', 'b-missing']],
])

function by(...keys: string[]): SortKey[] {
  return keys.map((key) => ({
    path: toFieldPath(key.replace('-', '')),
    direction: key.startsWith('-') ? 'desc' : 'asc',
  }))
}

const is = (name: string, value: string | number | null): Condition => ({
  kind: 'compare',
  path: toFieldPath(name),
  operator: 'equal',
  value,
})
const not = (condition: Condition): Condition => ({ kind: 'not', condition })
const behindGuard: Condition = {
  ...is('author.name', 'Ann'),
  path: { names: ['author', 'name'], guards: [{ depth: 1, condition: is('name', 'Ann') }] },
} as Condition

type PageQueries = readonly (readonly [Condition, SortKey[]])[]

const ofBooks: PageQueries = [
  [always, []],
  [always, by('-price', 'title')],
  [is('price', 5), []],
  [not(is('price', 5)), by('author.name', '-id')],
  [behindGuard, by('notes')],
  [{ kind: 'never' }, []],
  [{ kind: 'or', conditions: [is('price', null), is('title', 'x')] }, by('price')],
]
const ofGenres: PageQueries = [
  [always, []],
  [always, by('title', '-id')],
  [is('title', 'a'), by('-id')],
  [is('parent.title', 'b'), []],
  [not(is('parent', null)), by('-parent.title')],
]

const slices = [0, 1, 2].flatMap((skip) =>
  [0, 1, 2, Number.POSITIVE_INFINITY].map(
    (limit) => ({ kind: 'offset', offset: skip, limit }) as const,
  ),
)

export function relatedPages(suite: Suite): void {
  suite.reading('related pages', world, (test) => {
    for (const [model, relation] of manyRelations.filter(([model]) => owners.has(model))) {
      const name = `${model.name}.${relation.name}`

      test(`returns for each owner the page of ${name} that a single query would return`, async (store) => {
        const all = owners.get(model)!
        for (const [condition, sort] of relation.relatedModel === book ? ofBooks : ofGenres) {
          for (const pageRange of slices) {
            const plan = { condition, sort, pageRange }
            const pages = await pagesOf(store, model, relation, all, plan)
            for (const owner of all) {
              expect(pages.get(owner) ?? []).toEqual(
                expectedOf(world, model, relation, owner, plan),
              )
            }
            expect([...pages.keys()].filter((owner) => !all.includes(owner))).toEqual([])
          }
        }
      })
    }

    test('returns an item for each owner that relates to it', async (store) => {
      const genres = book.fieldsByName.get('genres') as ManyRelation
      const plan = {
        condition: always,
        sort: [],
        pageRange: { kind: 'offset', offset: 0, limit: 1 },
      } as const
      const pages = await pagesOf(store, book, genres, ['b-1', 'b-2', 'b-3'], plan)
      expect([...pages.values()].map(([first]) => first?.id)).toEqual(['g-1', 'g-1', 'g-1'])
    })

    test('returns whole items, like other queries', async (store) => {
      const books = author.fieldsByName.get('books') as ManyRelation
      const plan = {
        condition: is('id', 'b-1'),
        sort: [],
        pageRange: { kind: 'offset', offset: 0, limit: 5 },
      } as const
      const [alone] = await pageItems(store, book, plan)
      for await (const [batch] of store.relatedPages(author, books, ['a-1'], plan)) {
        const { id, text, relationsOffset, hiddenText, hash, revision } = batch!.item
        expect({ id, text, split: relationsOffset, hidden: hiddenText, hash, revision }).toEqual({
          id: alone!.id,
          text: alone!.text,
          split: alone!.relationsOffset,
          hidden: alone!.hiddenText,
          hash: alone!.hash,
          revision: alone!.revision,
        })
        expect(hiddenText).toContain('x')
      }
    })

    test('returns nothing without owners', async (store) => {
      const books = author.fieldsByName.get('books') as ManyRelation
      const plan = {
        condition: always,
        sort: [],
        pageRange: { kind: 'offset', offset: 0, limit: 5 },
      } as const
      expect((await pagesOf(store, author, books, [], plan)).size).toBe(0)
    })

    test('returns pages for more owners than a statement has parameters', async (store) => {
      const books = author.fieldsByName.get('books') as ManyRelation
      const many = [...Array.from({ length: 2_500 }, (_, index) => `a-none-${index}`), 'a-1', 'a-2']
      for (const limit of [2, 8_000, Number.POSITIVE_INFINITY]) {
        const plan = {
          condition: always,
          sort: by('-price'),
          pageRange: { kind: 'offset', offset: 0, limit },
        } as const
        const pages = await pagesOf(store, author, books, many, plan)
        expect([...pages.keys()].toSorted()).toEqual(['a-1', 'a-2'])
        expect(pages.get('a-1')).toEqual(expectedOf(world, author, books, 'a-1', plan))
      }
    })

    test('refuses a page by an unknown field of the related items', async (store) => {
      const books = author.fieldsByName.get('books') as ManyRelation
      const pageRange = { kind: 'offset', offset: 0, limit: 5 } as const
      const wrong = { condition: is('name', 'Ann'), sort: [], pageRange }
      await expect(pagesOf(store, author, books, ['a-1'], wrong)).rejects.toThrow(TypeError)
      const unsorted = { condition: always, sort: by('name'), pageRange }
      await expect(pagesOf(store, author, books, ['a-1'], unsorted)).rejects.toThrow(TypeError)
    })
  })

  suite.alone('sees the pages of its own writes inside a transaction', async (store) => {
    const books = author.fieldsByName.get('books') as ManyRelation
    const plan = {
      condition: always,
      sort: [],
      pageRange: { kind: 'offset', offset: 0, limit: 5 },
    } as const
    await insert(store, book, { id: 'b-1', author: 'a-1' })
    await store.write(async (transaction) => {
      await transaction.remove(book, 'b-1')
      expect((await pagesOf(transaction, author, books, ['a-1'], plan)).size).toBe(0)
      expect((await pagesOf(store, author, books, ['a-1'], plan)).get('a-1')).toHaveLength(1)
    })
  })
}
