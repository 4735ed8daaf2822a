import { statSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { temporaryFile } from '../../../test/support/sqlite-bookshelf.ts'
import { model } from '../../model/declare/model.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { autoCheckpointPages } from './connection-settings.ts'
import { sqlite } from './sqlite.ts'

const bytesPerPage = 4_096

test('the WAL stays bounded, however much is written', async () => {
  const [note] = describeModels([model('note', { text: z.string() })])
  const file = temporaryFile()
  const store = sqlite(file, { durability: 'normal' })
  onTestFinished(() => store.close())
  await store.open([note!])
  const text = 'x'.repeat(100_000)
  let largest = 0
  for (let written = 0; written < autoCheckpointPages * bytesPerPage * 4; ) {
    // One at a time: large groups have their own checkpoints.
    const item = createStoredItem(note!, { id: `n-${written}`, text }, 1)
    await store.write((transaction) => transaction.insert(note!, item))
    written += text.length
    largest = Math.max(largest, statSync(`${file}-wal`).size)
  }
  expect(largest).toBeLessThan(autoCheckpointPages * bytesPerPage * 2)
})
