import fc from 'fast-check'
import { expect } from 'vitest'
import {
  allItemsPlan,
  always,
  type Condition,
  idEquals,
  linkageOf,
  linkedIds,
  type ModelDescription,
  type PageRange,
  printQueryPlan,
  type QueryPlan,
  type Store,
  type StoredPage,
  satisfyingIds,
} from '../../store/public.ts'
import { type Question, queries, worlds } from './arbitraries.ts'
import { idsOf, listed, pageItems, planOf, refill, type Suite, type World } from './harness.ts'
import { models } from './models.ts'
import { expectedPage } from './oracle.ts'
import { expectedOf, manyRelations, pagesOf } from './related-pages.ts'

/** A world costs a write, and a query only a read, so each world gets many queries. */
const seeds = fc.record({
  world: worlds,
  plans: fc.array(queries, { minLength: 12, maxLength: 12 }),
})

export function random(suite: Suite): void {
  suite.alone('runs random plans about random items as the definition does', async (store) => {
    await fc.assert(
      fc.asyncProperty(seeds, async ({ world, plans }) => {
        const items: World = models.map((model) => [model, world[model.name] ?? []])
        await refill(store, items)
        for (const query of plans) await compareResults(store, items, query)
      }),
      { numRuns: 200, interruptAfterTimeLimit: 15_000 },
    )
  })
}

/** Where a store joins raw JSON itself, it has to equal the items. */
async function compareTexts(
  store: Store,
  model: ModelDescription,
  plan: QueryPlan,
  { entries }: StoredPage,
  what: string,
): Promise<void> {
  const { page, list } = store
  const rawJson = store.fastPaths?.rawJson
  const joined = await rawJson?.page(model, plan, model.ownedRelations, 'text')
  if (joined) {
    const actual = await pageItems(store, model, plan)
    const more = await page(model, {
      ...plan,
      pageRange: { ...plan.pageRange, limit: plan.pageRange.limit + 1 },
    })
    expect(Buffer.from(joined.lines).toString(), what).toBe(
      actual.map(({ text }) => text).join('\n'),
    )
    const split = await rawJson?.page(model, plan, [], 'textAndOffset')
    expect(Buffer.from(split!.lines).toString(), what).toBe(
      actual.map(({ text, relationsOffset }) => `${text}${relationsOffset}`).join('\n'),
    )
    const first = plan.pageRange.kind === 'offset' ? undefined : entries[0]?.position
    expect([joined.firstPosition, joined.lastPosition], what).toEqual([
      first,
      entries.at(-1)?.position,
    ])
    expect(joined.hasMore, what).toBe(more.entries.length > entries.length)
    for (const relation of model.ownedRelations) {
      const ids = actual.flatMap((item) => linkedIds(linkageOf(item), relation))
      expect(joined.linkedIds.get(relation)!.toSorted(), `${what}\n${relation.name}`).toEqual(
        [...new Set(ids)].toSorted(),
      )
    }
  }
  const whole = { ...plan, pageRange: allItemsPlan.pageRange }
  const batches = rawJson?.list(model, whole)
  if (!batches) return
  const read: string[] = []
  for await (const batch of batches) read.push(Buffer.from(batch).toString())
  const items: string[] = []
  for await (const batch of list(model, whole)) items.push(...batch.map((item) => item.text))
  expect(read.join(','), what).toBe(items.join(','))
}

/** For every relation to these items, and all its owners at once. */
async function comparePages(
  store: Store,
  world: World,
  target: ModelDescription,
  plan: QueryPlan,
  what: string,
) {
  const { pageRange } = plan
  const slice = {
    ...plan,
    pageRange:
      pageRange.kind === 'offset'
        ? pageRange
        : ({ ...pageRange, kind: 'offset', offset: 0 } as const),
  }
  for (const [model, relation] of manyRelations.filter((pair) => pair[1].relatedModel === target)) {
    const ids = world.flatMap(([of, items]) => (of === model ? items.map(({ id }) => id) : []))
    const owners = [...ids, `${model.name.charAt(0)}-none`]
    const pages = await pagesOf(store, model, relation, owners, slice)
    for (const owner of owners) {
      const expected = expectedOf(world, model, relation, owner, slice)
      expect(pages.get(owner) ?? [], `${what}\nof ${owner}.${relation.name}`).toEqual(expected)
    }
  }
}

async function compareResults(
  store: Store,
  world: World,
  { model: name, plan }: Question,
): Promise<void> {
  const model = models.find((model) => model.name === name)!
  const what = `${model.name}\n${printQueryPlan(plan)}`
  const whole: PageRange = { kind: 'offset', offset: 0, limit: 100 }
  const all = expectedPage(world, model, { ...plan, pageRange: whole })
  const expected = expectedPage(world, model, plan)
  const page = await store.page(model, plan)
  expect(
    page.entries.map(({ id, position }) => ({ id, position })),
    what,
  ).toEqual(expected)
  expect(await idsOf(store, model, plan), what).toEqual(expected.map((entry) => entry.id))
  expect(await store.count(model, plan.condition), what).toBe(all.length)
  await compareTexts(store, model, plan, page, what)
  await comparePages(store, world, model, plan, what)

  const items = await listed(store, model, planOf())
  const satisfying = await satisfyingIds(store, model, items, plan.condition)
  expect([...satisfying].toSorted(), what).toEqual(all.map(({ id }) => id).toSorted())

  for (const id of new Set([
    all[0]?.id ?? `${model.name.charAt(0)}-0`,
    `${model.name.charAt(0)}-1`,
  ])) {
    const condition: Condition = { kind: 'and', conditions: [plan.condition, idEquals(id)] }
    const actual = await store.find(model, condition)
    expect(actual?.id, what).toBe(all.find((entry) => entry.id === id)?.id)
    if (store.fastPaths?.findVersion)
      expect(await store.fastPaths.findVersion(model, condition), what).toBe(
        actual?.hash ?? undefined,
      )
  }

  const middle = all[Math.floor(all.length / 2)]
  if (!middle) return
  for (const kind of ['after', 'before'] as const) {
    const around = {
      condition: always,
      sort: plan.sort,
      pageRange: { kind, position: middle.position, limit: 3 },
    }
    const neighbours = (await store.page(model, around)).entries.map(({ id, position }) => ({
      id,
      position,
    }))
    expect(neighbours, `${what}\nneighbours ${kind} ${middle.id}`).toEqual(
      expectedPage(world, model, around),
    )
  }
}
