import fc from 'fast-check'
import { expect } from 'vitest'
import type { ModelDescription } from '../../../src/model/description.ts'
import { always, hasId } from '../../../src/query/conditions.ts'
import { print } from '../../../src/query/print.ts'
import { type Condition, everything, type QueryPlan, type Window } from '../../../src/query/query-plan.ts'
import { linkageOf, linkedIds } from '../../../src/store/linkage.ts'
import type { Store, StoredPage } from '../../../src/store/store.ts'
import { type Question, questions, worlds } from './arbitraries.ts'
import { idsOf, pageItems, planOf, type Suite, type World } from './harness.ts'
import { itemOf, models } from './models.ts'
import { expectedPage } from './oracle.ts'
import { expectedOf, manyRelations, pagesOf } from './related-pages.ts'

/** One world costs a write, and a question only a read, so each world is asked many. */
const seeds = fc.record({ world: worlds, asked: fc.array(questions, { minLength: 12, maxLength: 12 }) })

export function random(suite: Suite): void {
  suite.alone('answers random plans about random items as the definition does', async (store) => {
    await fc.assert(
      fc.asyncProperty(seeds, async ({ world, asked }) => {
        const items: World = models.map((model) => [model, world[model.name] ?? []])
        await refill(store, items)
        for (const question of asked) await compareAnswers(store, items, question)
      }),
      { numRuns: 200, interruptAfterTimeLimit: 15_000 },
    )
  })
}

async function refill(store: Store, world: World): Promise<void> {
  await store.write(async (transaction) => {
    for (const [model, items] of world) {
      for (const id of await idsOf(transaction, model, planOf())) await transaction.remove(model, id)
      for (const values of items) await transaction.insert(model, itemOf(model, values))
    }
  })
}

/** Where a store joins texts itself, they are those of the items, and what it says of the page is so. */
async function compareTexts(
  store: Store,
  model: ModelDescription,
  plan: QueryPlan,
  { places }: StoredPage,
  what: string,
): Promise<void> {
  const { texts, page, list } = store
  const joined = await texts?.page(model, plan, model.owned, 'text')
  if (joined) {
    const found = await pageItems(store, model, plan)
    const more = await page(model, { ...plan, window: { ...plan.window, limit: plan.window.limit + 1 } })
    expect(Buffer.from(joined.lines).toString(), what).toBe(found.map(({ text }) => text).join('\n'))
    if (model.hash) {
      const versions = await texts?.page(model, plan, [], 'version')
      expect(Buffer.from(versions!.lines).toString(), what).toBe(
        found.map(({ hash, id }) => `${hash}${JSON.stringify(id)}`).join('\n'),
      )
      expect([versions!.first, versions!.last, versions!.more], what).toEqual([joined.first, joined.last, joined.more])
    }
    const split = await texts?.page(model, plan, [], 'textAndSplit')
    expect(Buffer.from(split!.lines).toString(), what).toBe(
      found.map(({ text, split }) => `${text}${split}`).join('\n'),
    )
    const first = plan.window.kind === 'slice' ? undefined : places[0]?.position
    expect([joined.first, joined.last], what).toEqual([first, places.at(-1)?.position])
    expect(joined.more, what).toBe(more.places.length > places.length)
    for (const relation of model.owned) {
      const held = found.flatMap((item) => linkedIds(linkageOf(item), relation))
      expect(joined.linked.get(relation)!.toSorted(), `${what}\n${relation.name}`).toEqual(
        [...new Set(held)].toSorted(),
      )
    }
  }
  const whole = { ...plan, window: everything.window }
  const batches = texts?.list(model, whole)
  if (!batches) return
  const read: string[] = []
  for await (const batch of batches) read.push(Buffer.from(batch).toString())
  const items: string[] = []
  for await (const batch of list(model, whole)) items.push(...batch.map((item) => item.text))
  expect(read.join(','), what).toBe(items.join(','))
}

/** By every relation that leads to such items, for all that it can lead from at once. */
async function comparePages(store: Store, world: World, target: ModelDescription, plan: QueryPlan, what: string) {
  const { window } = plan
  const slice = { ...plan, window: window.kind === 'slice' ? window : ({ ...window, kind: 'slice', skip: 0 } as const) }
  for (const [model, relation] of manyRelations.filter((pair) => pair[1].target === target)) {
    const ids = world.flatMap(([of, items]) => (of === model ? items.map(({ id }) => id) : []))
    const owners = [...ids, `${model.name.charAt(0)}-none`]
    const pages = await pagesOf(store, model, relation, owners, slice)
    for (const owner of owners) {
      const expected = expectedOf(world, model, relation, owner, slice)
      expect(pages.get(owner) ?? [], `${what}\nof ${owner}.${relation.name}`).toEqual(expected)
    }
  }
}

async function compareAnswers(store: Store, world: World, { model: name, plan }: Question): Promise<void> {
  const model = models.find((one) => one.name === name)!
  const what = `${model.name}\n${print(plan)}`
  const whole: Window = { kind: 'slice', skip: 0, limit: 100 }
  const all = expectedPage(world, model, { ...plan, window: whole })
  const expected = expectedPage(world, model, plan)
  const page = await store.page(model, plan)
  expect(
    page.places.map(({ id, position }) => ({ id, position })),
    what,
  ).toEqual(expected)
  expect(await idsOf(store, model, plan), what).toEqual(expected.map((placed) => placed.id))
  expect(await store.count(model, plan.condition), what).toBe(all.length)
  await compareTexts(store, model, plan, page, what)
  await comparePages(store, world, model, plan, what)

  for (const id of new Set([all[0]?.id ?? `${model.name.charAt(0)}-0`, `${model.name.charAt(0)}-1`])) {
    const condition: Condition = { kind: 'and', conditions: [plan.condition, hasId(id)] }
    const found = await store.find(model, condition)
    expect(found?.id, what).toBe(all.find((placed) => placed.id === id)?.id)
    if (store.version) expect(await store.version(model, condition), what).toBe(found?.hash ?? undefined)
  }

  const middle = all[Math.floor(all.length / 2)]
  if (!middle) return
  for (const kind of ['after', 'before'] as const) {
    const around = { condition: always, sort: plan.sort, window: { kind, position: middle.position, limit: 3 } }
    const neighbours = (await store.page(model, around)).places.map(({ id, position }) => ({ id, position }))
    expect(neighbours, `${what}\nneighbours ${kind} ${middle.id}`).toEqual(expectedPage(world, model, around))
  }
}
