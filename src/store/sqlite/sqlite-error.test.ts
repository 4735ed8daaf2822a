import {
  closeSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { model } from '../../model/declare/model.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { allItemsPlan } from '../../query/query-plan.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { StoreUnavailable } from '../store-failures.ts'
import { sqlite } from './sqlite.ts'
import { toOpenError } from './sqlite-error.ts'

let folder = ''
let file = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sqlite-error-'))
  file = join(folder, 'items.db')
})
afterEach(() => rmSync(folder, { recursive: true }))

const [note] = describeModels([model('note', { text: z.string() })]) as [
  ReturnType<typeof describeModels>[number],
]

describe.each(['documents', 'tables'] as const)('a damaged file with %s', (layout) => {
  const readAll = async (store: ReturnType<typeof sqlite>) => {
    for await (const _ of store.list(note, allItemsPlan));
  }

  it('is unavailable while it is open, and its start says what to do', async () => {
    const first = sqlite(file, { layout })
    await first.open([note])
    await first.write(async (transaction) => {
      for (let id = 0; id < 20; id++)
        await transaction.insert(
          note,
          createStoredItem(note, { id: String(id), text: 'text '.repeat(1_000) }, 1),
        )
    })
    await first.close()

    const opened = sqlite(file, { layout })
    await opened.open([note])
    const { size } = statSync(file)
    const handle = openSync(file, 'r+')
    writeSync(handle, Buffer.alloc(size - 4_096, 0xa5), 0, size - 4_096, 4_096)
    closeSync(handle)
    const reading = readAll(opened)
    await expect(reading).rejects.toBeInstanceOf(StoreUnavailable)
    await expect(reading).rejects.toThrow(
      "The SQLite file is damaged: database disk image is malformed. Stop the service, and restore a backup with 'resourcery restore'.",
    )
    await opened.close().catch(() => undefined)

    const again = sqlite(file, { layout })
    await expect(again.open([note])).rejects.toThrow(
      `Cannot open the SQLite file '${file}': database disk image is malformed. Stop the service, and restore a backup with 'resourcery restore'.`,
    )
    await again.close().catch(() => undefined)
  })
})

it('says what to do about a file that is no database', async () => {
  writeFileSync(file, 'no database'.repeat(1_000))
  await expect(sqlite(file).open([note])).rejects.toThrow(
    `Cannot open the SQLite file '${file}': file is not a database. Stop the service, and restore a backup with 'resourcery restore'.`,
  )
})

it('says what the system says where SQLite does not', () => {
  const error = Object.assign(new Error('unable to open database file'), { errcode: 14 })
  const missing = join(folder, 'missing', 'items.db')
  const opened = toOpenError(error, missing)
  expect(opened).toBeInstanceOf(StoreUnavailable)
  expect((opened as Error).message).toBe(
    `Cannot open the SQLite file '${missing}': unable to open database file. The system says: ENOENT: no such file or directory, access '${join(folder, 'missing')}'.`,
  )
})

it.each([
  [5, 'database is locked', 'Another program has locked it: end that program first.'],
  [13, 'database or disk is full', 'Free space on its disk.'],
])('says what to do about the error %d', (errcode, message, toDo) => {
  const opened = toOpenError(Object.assign(new Error(message), { errcode }), file)
  expect((opened as Error).message).toBe(
    `Cannot open the SQLite file '${file}': ${message}. ${toDo}`,
  )
  // A store may have made another error of it before.
  const unavailable = new StoreUnavailable('The SQLite file is unavailable.', {
    cause: new Error(message),
  })
  expect((toOpenError(unavailable, file) as Error).message).toBe((opened as Error).message)
})
