import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { temporaryFolder } from '../../../test/support/documentation.ts'
import { model } from '../../model/declare/model.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { sqlite } from '../../store/sqlite/sqlite.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { pruneCommand } from './prune-command.ts'

const folder = temporaryFolder('prune')
const module = join(folder, 'router.ts')
let printed: string[] = []
beforeAll(async () => {
  const file = join(folder, 'data.db')
  writeFileSync(
    module,
    `import { createRouter, model } from 'resourcery'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { z } from 'zod'
export const router = createRouter({ policy: rest(), store: sqlite('${file}') })
router.prepare(model('book', { title: z.string() }))
`,
  )
  const store = sqlite(file)
  const before = model('book', { title: z.string(), pages: z.int() })
  const [book, shelf] = describeModels([before, model('shelf', {})])
  await store.open([book!, shelf!])
  await store.write((transaction) =>
    transaction.insert(book!, createStoredItem(book!, { id: '1', title: 'Emma', pages: 3 }, 1)),
  )
  await store.open(describeModels([model('book', { title: z.string() })]))
  await store.close()
  vi.spyOn(console, 'log').mockImplementation((text) => void printed.push(text))
})
afterAll(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

const prune = async (values: Record<string, boolean>) => {
  printed = []
  expect(await pruneCommand.run({ values: values as never, positionals: [module] })).toBe(0)
  return printed.join('\n').split('\n')
}

it('resourcery prune counts what no model declares, and drops it with --drop only', async () => {
  const counted = [
    "Would drop the model 'shelves' with 0 items.",
    "Would drop 'pages' of 1 item of 'books'.",
    'Run it with --drop to drop this for good.',
  ]
  expect(await prune({})).toEqual(counted)
  expect(await prune({})).toEqual(counted)
  expect(await prune({ drop: true })).toEqual([
    "Dropped the model 'shelves' with 0 items.",
    "Dropped 'pages' of 1 item of 'books'.",
  ])
  expect(await prune({})).toEqual(['Nothing to drop.'])
})
