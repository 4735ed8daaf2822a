import fc from 'fast-check'
import { expect, test } from 'vitest'
import { searchedBookshelf, searchFor, term } from '../../../test/support/searched-bookshelf.ts'
import type { PageRange, QueryPlan } from '../../query/query-plan.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { memory } from '../memory/memory.ts'
import type { Queries } from '../sql/queries.ts'
import type { ReadStrategy } from '../sql/read-strategy.ts'
import { pageByRelevance } from './page-by-relevance.ts'
import type { StatementRunner } from './read-context.ts'

const [author, book] = searchedBookshelf()
const text = fc.constantFrom('old', 'sea', 'old sea', 'older', '', null)
const texts = fc.record({ title: text, note: text, author: fc.option(fc.nat(2)) })

/** A context in which an index finds many items for each search. */
const manyFound = (plan: QueryPlan) => ({
  queries: {
    list: () => ({
      strategy: { name: 'searchLookup', lookup: plan.condition, looksUpMany: true },
      probe: () => undefined,
    }),
  } as unknown as Queries<ReadStrategy>,
  runner: { firstRow: () => [10_001] } as unknown as StatementRunner<ReadStrategy>,
})

test('classes of relevance make the same pages as sorting all items', async () => {
  let made = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(texts, { minLength: 1, maxLength: 12 }),
      fc.array(text, { minLength: 3, maxLength: 3 }),
      fc.array(
        fc.tuple(
          fc.constantFrom('old', 'sea', 'ol'),
          fc.constantFrom('word' as const, 'beginning' as const),
          fc.boolean(),
        ),
        { minLength: 1, maxLength: 2 },
      ),
      fc.integer({ min: 1, max: 5 }),
      fc.nat(4),
      async (books, names, words, limit, offset) => {
        const store = memory()
        await store.open([author, book])
        await store.write(async (transaction) => {
          for (const [index, name] of names.entries())
            await transaction.insert(author, createStoredItem(author, { id: `a${index}`, name }, 1))
          for (const [index, { title, note, author: by }] of books.entries()) {
            const values = {
              title,
              note: { text: note },
              price: 1,
              author: by === null ? null : `a${by}`,
            }
            await transaction.insert(
              book,
              createStoredItem(book, { id: `b${index}`, ...values }, 1),
            )
          }
        })
        const condition = searchFor(
          ...words.map(([word, ending, isExcluded]) => term(word, ending, isExcluded)),
        )
        const sort = [{ search: searchFor(...condition.terms), direction: 'desc' }] as const
        const ranges: PageRange[] = [{ kind: 'offset', offset, limit }]
        const all = await store.page(book, {
          condition,
          sort,
          pageRange: { kind: 'offset', offset: 0, limit: 50 },
        })
        for (const { position } of all.entries) ranges.push({ kind: 'after', position, limit })
        for (const pageRange of ranges) {
          const plan: QueryPlan = { condition, sort, pageRange }
          const page = await pageByRelevance(manyFound(plan), book, plan, undefined, (ofClass) =>
            store.page(book, ofClass),
          )
          if (!page) continue
          made++
          const expected = await store.page(book, plan)
          expect(page.entries.map(({ id, position }) => ({ id, position }))).toEqual(
            expected.entries.map(({ id, position }) => ({ id, position })),
          )
          const items: string[] = []
          for await (const batch of page.items(page.entries))
            items.push(...batch.map(({ id }) => id))
          expect(items).toEqual(page.entries.map(({ id }) => id))
        }
      },
    ),
    { numRuns: 100 },
  )
  expect(made).toBeGreaterThan(100)
})
