import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { model } from '../../../model/declare/model.ts'
import { describeModels } from '../../../model/describe/describe-models.ts'
import { loadDriver } from '../driver.ts'
import { sqlite } from '../sqlite.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'resourcery-'))
  file = join(folder, 'books.db')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const books = describeModels([model('book', { title: z.string() })])
const plan = async () => {
  const store = sqlite(file, { layout: 'tables' })
  try {
    return (await store.admin!.plan!(books)).map(({ summary }) => summary)
  } finally {
    await store.close()
  }
}

it('A plan of a file that does not exist does not create it', async () => {
  expect(await plan()).toContain("Create the table 'books' of the model 'book'.")
  expect(existsSync(file)).toBe(false)
})

it('A plan of the file of another program leaves its settings as they are', async () => {
  const other = (await loadDriver()).open(file, { readOnly: false })
  try {
    other.exec('create table books (id text primary key)')
    expect(await plan()).toEqual([
      "The store changes no table, because another program made the table 'books'.",
      "The table 'books' has no column 'title' for the field 'title' of the model 'book'.",
    ])
    expect(other.prepare('pragma journal_mode').get([])).toEqual(['delete'])
  } finally {
    other.close()
  }
})

it('A plan refuses a file of the other layout, as a start does', async () => {
  const documents = sqlite(file)
  await documents.open(books)
  await documents.close()
  await expect(plan()).rejects.toThrow("keeps items in the layout 'documents'")
})
