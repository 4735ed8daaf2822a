import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { field } from '../../model/declare/field.ts'
import { type AnyModel, model } from '../../model/declare/model.ts'
import { toMany } from '../../model/declare/relation.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { loadDriver } from './driver.ts'
import { sqlite } from './sqlite.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plan-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const file = () => join(folder, 'data.db')
const first = model('book', { title: z.string(), pages: field(z.int(), { index: true }) })
const changed = model('book', {
  title: field(z.string(), { index: true }),
  pages: z.int(),
  year: z.int().default(2000),
  others: toMany('book'),
})
const shown = async (...models: AnyModel[]) => {
  const store = sqlite(file())
  const steps = await store.admin!.plan!(describeModels([...models]))
  await store.close()
  return steps.map((step) => `${step.kind}: ${step.summary}`)
}
const open = async (...models: AnyModel[]) => {
  const store = sqlite(file())
  const described = describeModels([...models])
  await store.open(described)
  return { store, described }
}

test('a missing file is created by a start, and not by a plan', async () => {
  const expected = [`instant: Create the file '${file()}' and its tables.`]
  expect(await shown(first)).toEqual(expected)
  expect(await shown(first)).toEqual(expected)
})

/** What a start with the models says, which the plan has to say too. */
const refusal = async (...models: AnyModel[]) => {
  const store = sqlite(file())
  const opening = store.open(describeModels([...models]))
  const message = await opening.then(
    () => 'opened',
    (error: Error) => error.message,
  )
  await store.close()
  return message
}

test('a plan names the items whose values a new unique field refuses, as a start does', async () => {
  const { store, described } = await open(first)
  await store.write(async (transaction) => {
    for (const id of ['a', 'b', 'c'])
      await transaction.insert(
        described[0]!,
        createStoredItem(described[0]!, { id, title: id === 'c' ? 'y' : 'x', pages: 1 }, 1),
      )
  })
  await store.close()
  const unique = model('book', {
    title: field(z.string(), { unique: true }),
    pages: field(z.int(), { index: true }),
  })
  const fault =
    "The field 'title' of the model 'book' is unique, but the items 'a' and 'b' both have the value 'x'."
  expect(await shown(unique)).toContain(`refused: ${fault}`)
  expect(await refusal(unique)).toBe(fault)
})

test('a plan refuses a file of another layout, as a start does', async () => {
  const tables = sqlite(file(), { layout: 'tables' })
  await tables.open(describeModels([first]))
  await tables.close()
  const [step, ...others] = await shown(first)
  expect(others).toEqual([])
  expect(step).toBe(`refused: ${await refusal(first)}`)
  expect(step).toContain("keeps items in the layout 'tables'")
})

test('a plan refuses a file of a later version, as a start does', async () => {
  await (await open(first)).store.close()
  const database = (await loadDriver()).open(file(), { readOnly: false })
  database.exec(`update "_layout" set value = 99 where key = 'version'`)
  database.close()
  const [step, ...others] = await shown(first)
  expect(others).toEqual([])
  expect(step).toContain('refused: The SQLite file has layout version 99;')
  expect(step).toBe(`refused: ${await refusal(first)}`)
})

test('the join table of a new table has nothing to be filled with', async () => {
  await (await open(first)).store.close()
  const Shelf = model('shelf', { books: toMany('book') })
  expect(await shown(first, Shelf)).toContain("instant: Create the join table 'shelves.books'.")
})

test('a plan names what is new, changed and brought into a new form, until a start has done it', async () => {
  const { store, described } = await open(first)
  await store.write(async (transaction) => {
    for (const id of ['a', 'b'])
      await transaction.insert(
        described[0]!,
        createStoredItem(described[0]!, { id, title: 'x', pages: 1 }, 1),
      )
  })
  await store.close()
  expect(await shown(first)).toEqual([])
  expect(await shown(changed)).toEqual([
    "instant: Add the column 'year' to 'books'.",
    "instant: Drop the index 'books(pages)', which the model does not have any more.",
    "rewrite: Create the join table 'books.others', and fill it from the items.",
    "rewrite: Bring 2 items of 'books' into the form of the model.",
    "online: Create the index 'books(title)'.",
  ])
  await (await open(changed)).store.close()
  expect(await shown(changed)).toEqual([])
})
