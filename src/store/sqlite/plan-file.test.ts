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
  const steps = await store.plan!(describeModels([...models]))
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
    "instant: Add the column 'text.year#' to 'books'.",
    "instant: Drop the index 'books(text.pages#)', which the model does not have any more.",
    "rewrite: Create the join table 'books.others', and fill it from the items.",
    "rewrite: Bring the 2 items of 'books' into the form of the model.",
    "online: Create the index 'books(text.title)'.",
  ])
  await (await open(changed)).store.close()
  expect(await shown(changed)).toEqual([])
})
